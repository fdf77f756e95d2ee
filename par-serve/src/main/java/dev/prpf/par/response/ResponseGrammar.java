package dev.prpf.par.response;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The words of the response grammar (docs/RESPONSE.md). */
public final class ResponseGrammar {
    /** Summary of the screens. */
    public static final String UI_SUMMARY = "ui_summary";
    /** The reasoning. */
    public static final String THINKING = "thinking";
    /** The choice of functions, the last thing inside the reasoning. */
    public static final String FUNCTION_SELECTION = "function_selection";
    /** The JSON array of recommendations. */
    public static final String RECOMMENDATIONS = "recommendations";
    /** Words that alone are silence. */
    public static final List<String> SILENCE = List.of("No recommendation", "无推荐");
    /** With these a recommendation in words says that there is none (ProactiveMobile, Appendix F); letters of ASCII may be capitals or not. */
    public static final List<String> NONE = List.of("No recommendation", "无推荐", "Not Recommended");
    /** A single-stage response's reasoning. */
    public static final String THINK = "think";
    /** A single-stage response's recommendation in words. */
    public static final String REC = "rec";
    /** A single-stage response's calls. */
    public static final String FUNCTION = "function";
    /** The one key of the object in {@link #FUNCTION}. */
    public static final String MODEL_RECOMMENDATION = "model_recommendation";

    static final List<String> BLOCKS = List.of(UI_SUMMARY, THINKING, FUNCTION_SELECTION, RECOMMENDATIONS);

    private static final List<String> SINGLE_STAGE_BLOCKS = List.of(THINK, REC, FUNCTION);

    /** Any opening or closing tag of PRPF's forms. */
    public static final Pattern TAG = Pattern.compile(String.join("|", tags()));

    /** Any opening or closing tag of a single-stage response. */
    public static final Pattern SINGLE_STAGE_TAG = Pattern.compile(String.join("|", singleStageTags()));

    private static final Pattern SAYS_NONE =
            Pattern.compile(NONE.stream().map(Pattern::quote).collect(Collectors.joining("|")), CASE_INSENSITIVE);

    private ResponseGrammar() {}

    /** The opening tag of a block. */
    public static String open(String block) {
        return "<" + block + ">";
    }

    /** The closing tag of a block. */
    public static String close(String block) {
        return "</" + block + ">";
    }

    /** JSON as it stands in a response: every {@code <} is an escape, so that no tag can occur in it. */
    public static String json(JsonNode value) {
        return value.toString().replace("<", "\\u003c");
    }

    /** All opening and closing tags of PRPF's forms, each a control token of our own tokenizers. */
    public static List<String> tags() {
        return tags(BLOCKS);
    }

    /** All opening and closing tags of a single-stage response. */
    public static List<String> singleStageTags() {
        return tags(SINGLE_STAGE_BLOCKS);
    }

    /** The tags of a form. */
    public static List<String> tags(ResponseForm form) {
        return form.singleStage() ? singleStageTags() : tags();
    }

    /** Whether a text is held to a single-stage form: where any form may be meant, its first tag tells. */
    public static boolean isSingleStage(String text, ResponseForm form) {
        String begin = text.stripLeading();
        return form.singleStage()
                || (form == ResponseForm.ANY
                        && SINGLE_STAGE_BLOCKS.stream().anyMatch(block -> begin.startsWith(open(block))));
    }

    /** Whether a whole response is the words of {@link #SILENCE}; those of a single-stage response may be in capitals, as Appendix F has them. */
    static boolean isSilence(String response, ResponseForm form) {
        String words = response.strip();
        return form.singleStage() ? SILENCE.stream().anyMatch(words::equalsIgnoreCase) : SILENCE.contains(words);
    }

    /** Whether a recommendation in words says that there is none: it begins with words of {@link #NONE}. */
    public static boolean saysNone(String recommendation) {
        return SAYS_NONE.matcher(recommendation.strip()).lookingAt();
    }

    private static List<String> tags(List<String> blocks) {
        return blocks.stream()
                .flatMap(block -> Stream.of(open(block), close(block)))
                .toList();
    }

    /** Offset of the first of these tags in the text from that offset on, or -1. They all begin with {@code <}, which is found faster. */
    static int firstTag(Pattern tags, String text, int from, int to) {
        Matcher tag = tags.matcher(text);
        for (int at = text.indexOf('<', from); at >= 0 && at < to; at = text.indexOf('<', at + 1)) {
            if (tag.region(at, to).lookingAt()) {
                return at;
            }
        }
        return -1;
    }
}
