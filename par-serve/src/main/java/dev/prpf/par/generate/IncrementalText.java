package dev.prpf.par.generate;

import java.util.Arrays;
import java.util.function.Function;

/**
 * Decodes tokens to text while they arrive. A character may need several tokens, and a token's text may depend on the previous token. So new text
 * is the difference between two decodings of the last tokens, once its last character is complete.
 */
final class IncrementalText {
    /** Number of prompt tokens that the first new tokens are decoded with. */
    private static final int CONTEXT = 5;

    private static final char INCOMPLETE = '\uFFFD';

    private final Function<long[], String> text;
    private long[] ids;
    private int length;
    private int from;
    private int read;

    /**
     * @param text decodes tokens; a character with missing bytes becomes U+FFFD
     * @param prompt the tokens of the prompt; their text is not returned
     */
    public IncrementalText(Function<long[], String> text, long[] prompt) {
        this.text = text;
        length = Math.min(CONTEXT, prompt.length);
        ids = Arrays.copyOf(Arrays.copyOfRange(prompt, prompt.length - length, prompt.length), 2 * CONTEXT);
        read = length;
    }

    /** Adds a token and returns the new text; empty while a character is incomplete. */
    public String add(long id) {
        if (length == ids.length) {
            ids = Arrays.copyOf(ids, 2 * length);
        }
        ids[length++] = id;
        String gained = gained();
        if (gained.isEmpty() || gained.charAt(gained.length() - 1) == INCOMPLETE) {
            return "";
        }
        from = read;
        read = length;
        return gained;
    }

    /** Returns the text held back, including an incomplete character; nothing follows. */
    public String rest() {
        String gained = gained();
        from = read;
        read = length;
        return gained;
    }

    private String gained() {
        String before = text.apply(Arrays.copyOfRange(ids, from, read));
        String now = text.apply(Arrays.copyOfRange(ids, from, length));
        return now.length() <= before.length() ? "" : now.substring(before.length());
    }
}
