package dev.prpf.par.generate;

import java.util.Arrays;

/**
 * Text of a response as it grows. A decoder of bytes may need several tokens for one character, and what a token says may depend on the one
 * before it, so only the difference between two decodings of the last tokens counts, and only once its last character is whole.
 */
final class WrittenText {
    /** Tokens of the prompt that the first new ones are read after. */
    private static final int CONTEXT = 5;

    private static final char INCOMPLETE = '\uFFFD';

    private final TokenText text;
    private long[] ids;
    private int length;
    private int from;
    private int read;

    WrittenText(TokenText text, long[] prompt) {
        this.text = text;
        length = Math.min(CONTEXT, prompt.length);
        ids = Arrays.copyOf(Arrays.copyOfRange(prompt, prompt.length - length, prompt.length), 2 * CONTEXT);
        read = length;
    }

    /** What the text gains by one more token; empty while a character is incomplete. */
    String append(long id) {
        if (length == ids.length) {
            ids = Arrays.copyOf(ids, 2 * length);
        }
        ids[length++] = id;
        String before = text.of(Arrays.copyOfRange(ids, from, read));
        String now = text.of(Arrays.copyOfRange(ids, from, length));
        if (now.length() <= before.length() || now.charAt(now.length() - 1) == INCOMPLETE) {
            return "";
        }
        from = read;
        read = length;
        return now.substring(before.length());
    }
}
