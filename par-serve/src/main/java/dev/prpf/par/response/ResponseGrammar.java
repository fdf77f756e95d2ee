package dev.prpf.par.response;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tags and words of the response grammar (docs/RESPONSE.md). */
public final class ResponseGrammar {
    /** Block with the summary of the screenshots. */
    public static final String UI_SUMMARY = "ui_summary";
    /** Block with the reasoning. */
    public static final String THINKING = "thinking";
    /** Block with the choice of functions, at the end of the reasoning. */
    public static final String FUNCTION_SELECTION = "function_selection";
    /** Block with the JSON array of recommendations. */
    public static final String RECOMMENDATIONS = "recommendations";
    /** Whole responses that mean silence. */
    public static final List<String> SILENCE = List.of("No recommendation", "无推荐");
    /** Beginnings of a recommendation in words that mean none (ProactiveMobile, Appendix F); case-insensitive in ASCII. */
    public static final List<String> NONE = List.of("No recommendation", "无推荐", "Not Recommended");
    /** Block with a single-stage response's reasoning. */
    public static final String THINK = "think";
    /** Block with a single-stage response's recommendation in words. */
    public static final String REC = "rec";
    /** Block with a single-stage response's calls. */
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

    /** Returns the opening tag of a block. */
    public static String open(String block) {
        return "<" + block + ">";
    }

    /** Returns the closing tag of a block. */
    public static String close(String block) {
        return "</" + block + ">";
    }

    /** Returns JSON with every {@code <} escaped, so that no tag can occur in it. */
    public static String json(JsonNode value) {
        return value.toString().replace("<", "\\u003c");
    }

    /** Returns all tags of PRPF's forms; our own tokenizers have them as control tokens. */
    public static List<String> tags() {
        return tags(BLOCKS);
    }

    /** Returns all opening and closing tags of a single-stage response. */
    public static List<String> singleStageTags() {
        return tags(SINGLE_STAGE_BLOCKS);
    }

    public static List<String> tags(ResponseForm form) {
        return form.singleStage() ? singleStageTags() : tags();
    }

    /** Returns whether a text is parsed in a single-stage form; for {@code ANY} its first tag decides. */
    public static boolean isSingleStage(String text, ResponseForm form) {
        String begin = text.stripLeading();
        return form.singleStage()
                || (form == ResponseForm.ANY
                        && SINGLE_STAGE_BLOCKS.stream().anyMatch(block -> begin.startsWith(open(block))));
    }

    /** Returns whether a whole response is one of {@link #SILENCE}, ignoring case for single-stage responses (Appendix F). */
    static boolean isSilence(String response, ResponseForm form) {
        String words = response.strip();
        return form.singleStage() ? SILENCE.stream().anyMatch(words::equalsIgnoreCase) : SILENCE.contains(words);
    }

    /** Returns whether a recommendation in words begins with one of {@link #NONE}. */
    public static boolean saysNone(String recommendation) {
        return SAYS_NONE.matcher(recommendation.strip()).lookingAt();
    }

    private static List<String> tags(List<String> blocks) {
        return blocks.stream()
                .flatMap(block -> Stream.of(open(block), close(block)))
                .toList();
    }

    /** Returns the offset of the first tag in [from, to), or -1. Searches {@code <} first, which is faster. */
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
