package dev.prpf.par.response;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION_SELECTION;
import static dev.prpf.par.response.ResponseGrammar.RECOMMENDATIONS;
import static dev.prpf.par.response.ResponseGrammar.THINKING;
import static dev.prpf.par.response.ResponseGrammar.UI_SUMMARY;

import dev.prpf.data.Recommendation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a response: the grammar of docs/RESPONSE.md and nothing else. Never throws on any text. */
public final class ResponseParser {
    private final String text;
    private final ResponseForm form;
    private int at;

    private ResponseParser(String text, ResponseForm form) {
        this.text = text;
        this.form = form;
    }

    /** Reads a response of any form. */
    public static ParResponse parse(String text) {
        return parse(text, ResponseForm.ANY);
    }

    /** Reads a response that must be of that form. */
    public static ParResponse parse(String text, ResponseForm form) {
        if (ResponseGrammar.SILENCE.contains(text.strip())) {
            return new ParResponse.Parsed(null, null, null, List.of());
        }
        try {
            return new ResponseParser(text, form).response();
        } catch (GrammarFault fault) {
            return new ParResponse.Malformed(fault.where, String.valueOf(fault.getMessage()));
        }
    }

    private ParResponse response() throws GrammarFault {
        String summary = optional(UI_SUMMARY, form != ResponseForm.BARE && form != ResponseForm.TEXT);
        Thinking thinking = thinking();
        int begin = expect(ResponseGrammar.open(RECOMMENDATIONS));
        RecommendationsReader reader = new RecommendationsReader(text, begin);
        List<Recommendation> recommendations = reader.read();
        at = reader.end();
        expect(ResponseGrammar.close(RECOMMENDATIONS));
        skipWhitespace();
        if (at < text.length()) {
            throw new GrammarFault(at, "text after </recommendations>: " + excerpt());
        }
        if (!recommendations.isEmpty()) {
            requireReasoning(summary, thinking, begin);
        }
        return new ParResponse.Parsed(summary, thinking.text(), thinking.selection(), recommendations);
    }

    private record Thinking(@Nullable String text, @Nullable String selection) {}

    private void requireReasoning(@Nullable String summary, Thinking thinking, int begin) throws GrammarFault {
        boolean bare = summary == null && thinking.text() == null;
        if (form == ResponseForm.BARE || (form == ResponseForm.ANY && bare)) {
            return;
        }
        if (form == ResponseForm.SCREENS && summary == null) {
            throw new GrammarFault(0, "an acting response to screens begins with <ui_summary>");
        }
        if (thinking.text() == null) {
            throw new GrammarFault(begin, "an acting response has <thinking> before <recommendations>");
        }
        if (thinking.selection() == null) {
            throw new GrammarFault(begin, "the <thinking> of an acting response ends in <function_selection>");
        }
    }

    private @Nullable String optional(String block, boolean allowed) throws GrammarFault {
        skipWhitespace();
        if (!text.startsWith(ResponseGrammar.open(block), at)) {
            return null;
        }
        if (!allowed) {
            throw new GrammarFault(at, "<" + block + "> has no place in a response of the form " + form);
        }
        int begin = expect(ResponseGrammar.open(block));
        int end = closing(block, begin);
        at = end + ResponseGrammar.close(block).length();
        return free(block, begin, end);
    }

    private Thinking thinking() throws GrammarFault {
        skipWhitespace();
        if (!text.startsWith(ResponseGrammar.open(THINKING), at)) {
            return new Thinking(null, null);
        }
        if (form == ResponseForm.BARE) {
            throw new GrammarFault(at, "<thinking> has no place in a response of the form " + form);
        }
        int begin = expect(ResponseGrammar.open(THINKING));
        int end = closing(THINKING, begin);
        int selection = text.indexOf(ResponseGrammar.open(FUNCTION_SELECTION), begin);
        String selected = null;
        int freeEnd = end;
        if (selection >= 0 && selection < end) {
            freeEnd = selection;
            at = selection;
            selected = optional(FUNCTION_SELECTION, true);
        } else {
            at = end;
        }
        expect(ResponseGrammar.close(THINKING));
        return new Thinking(free(THINKING, begin, freeEnd), selected);
    }

    private int closing(String block, int begin) throws GrammarFault {
        int end = text.indexOf(ResponseGrammar.close(block), begin);
        if (end < 0) {
            throw new GrammarFault(text.length(), "<" + block + "> is not closed");
        }
        return end;
    }

    private String free(String block, int begin, int end) throws GrammarFault {
        int tag = ResponseGrammar.firstTag(text, begin, end);
        if (tag >= 0) {
            throw new GrammarFault(tag, "a tag inside <" + block + ">");
        }
        String content = text.substring(begin, end).strip();
        if (content.isEmpty()) {
            throw new GrammarFault(begin, "<" + block + "> is empty");
        }
        return content;
    }

    /** Skips whitespace and the token; returns the offset after it. */
    private int expect(String token) throws GrammarFault {
        skipWhitespace();
        if (!text.startsWith(token, at)) {
            throw new GrammarFault(at, "expected " + token + ", found " + excerpt());
        }
        at += token.length();
        return at;
    }

    private void skipWhitespace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private String excerpt() {
        return at >= text.length()
                ? "the end of the response"
                : "\"" + text.substring(at, Math.min(text.length(), at + 24)) + "\"";
    }

    /** The first thing wrong with a response; becomes a {@link ParResponse.Malformed}. */
    static final class GrammarFault extends Exception {
        private static final long serialVersionUID = 1L;

        private final int where;

        GrammarFault(int where, String why) {
            super(why, null, false, false);
            this.where = where;
        }
    }
}
