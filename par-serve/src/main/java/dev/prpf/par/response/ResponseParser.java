package dev.prpf.par.response;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION;
import static dev.prpf.par.response.ResponseGrammar.FUNCTION_SELECTION;
import static dev.prpf.par.response.ResponseGrammar.REC;
import static dev.prpf.par.response.ResponseGrammar.RECOMMENDATIONS;
import static dev.prpf.par.response.ResponseGrammar.THINK;
import static dev.prpf.par.response.ResponseGrammar.THINKING;
import static dev.prpf.par.response.ResponseGrammar.UI_SUMMARY;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses responses strictly by the grammar of docs/RESPONSE.md. Never throws for any text. */
public final class ResponseParser {
    private final BlockReader blocks;
    private final ResponseForm form;

    private ResponseParser(String text, ResponseForm form) {
        blocks = new BlockReader(text, ResponseGrammar.TAG);
        this.form = form;
    }

    /** Parses a response of any form. */
    public static ParResponse parse(String text) {
        return parse(text, ResponseForm.ANY);
    }

    /** Parses a response that must have a form. */
    public static ParResponse parse(String text, ResponseForm form) {
        if (ResponseGrammar.isSilence(text, form)) {
            return new ParResponse.Parsed(null, null, null, List.of());
        }
        try {
            return ResponseGrammar.isSingleStage(text, form)
                    ? new SingleStageParser(text, form).response()
                    : new ResponseParser(text, form).response();
        } catch (GrammarFault fault) {
            return fault.malformed();
        }
    }

    private ParResponse response() throws GrammarFault {
        String summary = blocks.optional(UI_SUMMARY, form == ResponseForm.ANY || form == ResponseForm.SCREENS, form);
        Thinking thinking = thinking();
        int begin = blocks.expect(ResponseGrammar.open(RECOMMENDATIONS));
        RecommendationsReader reader = new RecommendationsReader(blocks.text(), begin);
        List<Recommendation> recommendations = reader.read();
        blocks.moveTo(reader.end());
        blocks.end(RECOMMENDATIONS);
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

    private Thinking thinking() throws GrammarFault {
        if (!blocks.begins(THINKING)) {
            return new Thinking(null, null);
        }
        blocks.requirePlace(THINKING, form != ResponseForm.BARE, form);
        int begin = blocks.expect(ResponseGrammar.open(THINKING));
        int end = blocks.closing(THINKING, begin);
        int selection = blocks.text().indexOf(ResponseGrammar.open(FUNCTION_SELECTION), begin);
        String selected = null;
        int freeEnd = end;
        if (selection >= 0 && selection < end) {
            freeEnd = selection;
            blocks.moveTo(selection);
            selected = blocks.optional(FUNCTION_SELECTION, true, form);
        } else {
            blocks.moveTo(end);
        }
        blocks.expect(ResponseGrammar.close(THINKING));
        return new Thinking(blocks.free(THINKING, begin, freeEnd), selected);
    }

    /** Parses a response of ProactiveMobile's single-stage model (its Appendix F): thought, recommendation in words, calls. */
    static final class SingleStageParser {
        private final BlockReader blocks;
        private final ResponseForm form;

        SingleStageParser(String text, ResponseForm form) {
            blocks = new BlockReader(text, ResponseGrammar.SINGLE_STAGE_TAG);
            this.form = form;
        }

        ParResponse.Parsed response() throws GrammarFault {
            boolean any = form == ResponseForm.ANY;
            String thought = blocks.optional(THINK, any || form.thinks(), form);
            int wordsAt = blocks.begins(REC) ? blocks.at() : 0;
            String words = blocks.optional(REC, any || form.recommends(), form);
            int begin = blocks.expect(ResponseGrammar.open(FUNCTION));
            RecommendationsReader reader = new RecommendationsReader(blocks.text(), begin);
            List<FunctionCall> calls = reader.readCalls();
            blocks.moveTo(reader.end());
            blocks.end(FUNCTION);
            if (form.recommends() && words == null) {
                throw new GrammarFault(begin, "a response of the form " + form + " has <rec> before <function>");
            }
            if (calls.isEmpty()) {
                return new ParResponse.Parsed(null, thought, null, List.of());
            }
            requireActing(thought, words, wordsAt);
            return new ParResponse.Parsed(
                    null, thought, null, List.of(new Recommendation(words == null ? "" : words, calls)));
        }

        private void requireActing(@Nullable String thought, @Nullable String words, int wordsAt) throws GrammarFault {
            if (form.thinks() && thought == null) {
                throw new GrammarFault(0, "an acting response of the form " + form + " begins with <think>");
            }
            if (words != null && ResponseGrammar.saysNone(words)) {
                throw new GrammarFault(wordsAt, "<rec> says that nothing is recommended, but <function> has calls");
            }
        }
    }

    /** The first violation of the grammar in a response; becomes a {@link ParResponse.Malformed}. */
    static final class GrammarFault extends Exception {
        private static final long serialVersionUID = 1L;

        private final int where;

        /** @param where offset in the response, in characters */
        GrammarFault(int where, String why) {
            super(why, null, false, false);
            this.where = where;
        }

        ParResponse.Malformed malformed() {
            return new ParResponse.Malformed(where, String.valueOf(getMessage()));
        }
    }

    /** Reads a response's text block by block and skips whitespace between blocks. */
    static final class BlockReader {
        private final String text;
        private final Pattern tags;
        private int at;

        /** @param tags forbidden in free text */
        BlockReader(String text, Pattern tags) {
            this.text = text;
            this.tags = tags;
        }

        String text() {
            return text;
        }

        int at() {
            return at;
        }

        void moveTo(int offset) {
            at = offset;
        }

        boolean begins(String block) {
            skipWhitespace();
            return text.startsWith(ResponseGrammar.open(block), at);
        }

        /** Reads the free text of a block if it comes next, else returns null. */
        @Nullable
        String optional(String block, boolean allowed, ResponseForm form) throws GrammarFault {
            if (!begins(block)) {
                return null;
            }
            requirePlace(block, allowed, form);
            int begin = expect(ResponseGrammar.open(block));
            int end = closing(block, begin);
            at = end + ResponseGrammar.close(block).length();
            return free(block, begin, end);
        }

        void requirePlace(String block, boolean allowed, ResponseForm form) throws GrammarFault {
            if (!allowed) {
                throw new GrammarFault(at, "<" + block + "> has no place in a response of the form " + form);
            }
        }

        int closing(String block, int begin) throws GrammarFault {
            int end = text.indexOf(ResponseGrammar.close(block), begin);
            if (end < 0) {
                throw new GrammarFault(text.length(), "<" + block + "> is not closed");
            }
            return end;
        }

        /** Returns the trimmed free text between two offsets. */
        String free(String block, int begin, int end) throws GrammarFault {
            int tag = ResponseGrammar.firstTag(tags, text, begin, end);
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
        int expect(String token) throws GrammarFault {
            skipWhitespace();
            if (!text.startsWith(token, at)) {
                throw new GrammarFault(at, "expected " + token + ", found " + excerpt());
            }
            at += token.length();
            return at;
        }

        /** Skips the closing tag of the last block; no text may follow it. */
        void end(String block) throws GrammarFault {
            expect(ResponseGrammar.close(block));
            skipWhitespace();
            if (at < text.length()) {
                throw new GrammarFault(at, "text after " + ResponseGrammar.close(block) + ": " + excerpt());
            }
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
    }
}
