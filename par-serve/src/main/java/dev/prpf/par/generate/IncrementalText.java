package dev.prpf.par.generate;

import java.util.Arrays;
import java.util.function.Function;

/**
 * The text of tokens as they come. A character may need several tokens, and what a token says may depend on the one before it, so only the
 * difference between two decodings of the last tokens counts, and only once its last character is whole.
 */
public final class IncrementalText {
    /** Tokens of the prompt that the first new ones are read after. */
    private static final int CONTEXT = 5;

    private static final char INCOMPLETE = '\uFFFD';

    private final Function<long[], String> text;
    private long[] ids;
    private int length;
    private int from;
    private int read;

    /**
     * @param text of tokens, a character whose last bytes are missing as U+FFFD
     * @param prompt what the tokens follow; none of its text comes out
     */
    public IncrementalText(Function<long[], String> text, long[] prompt) {
        this.text = text;
        length = Math.min(CONTEXT, prompt.length);
        ids = Arrays.copyOf(Arrays.copyOfRange(prompt, prompt.length - length, prompt.length), 2 * CONTEXT);
        read = length;
    }

    /** What the text gains by one more token; empty while a character is incomplete. */
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

    /** What was held back: nothing follows that could complete it. */
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
