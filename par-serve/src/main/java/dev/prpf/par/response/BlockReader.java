package dev.prpf.par.response;

import dev.prpf.par.response.ResponseParser.GrammarFault;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a response's text block by block and skips whitespace between blocks. */
final class BlockReader {
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

    /** Returns whether a block comes next. */
    boolean begins(String block) {
        skipWhitespace();
        return text.startsWith(ResponseGrammar.open(block), at);
    }

    /**
     * Reads the free text of a block if it comes next, else returns null.
     *
     * @param allowed whether the block is allowed here
     */
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

    /** Returns the offset of a block's closing tag. */
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
