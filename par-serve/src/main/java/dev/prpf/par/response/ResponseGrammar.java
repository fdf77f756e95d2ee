package dev.prpf.par.response;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    static final List<String> BLOCKS = List.of(UI_SUMMARY, THINKING, FUNCTION_SELECTION, RECOMMENDATIONS);

    /** Any opening or closing tag. */
    public static final Pattern TAG = Pattern.compile(String.join("|", tags()));

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

    /** All opening and closing tags, each a control token of our own tokenizers. */
    public static List<String> tags() {
        return BLOCKS.stream()
                .flatMap(block -> Stream.of(open(block), close(block)))
                .toList();
    }

    /** Offset of the first tag in the text from that offset on, or -1. */
    static int firstTag(String text, int from, int to) {
        Matcher tag = TAG.matcher(text).region(from, to);
        return tag.find() ? tag.start() : -1;
    }
}
