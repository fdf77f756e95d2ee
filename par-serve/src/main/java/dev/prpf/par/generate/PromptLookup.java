package dev.prpf.par.generate;

import java.util.Arrays;

/**
 * Guesses the next tokens from prompt and response (prompt lookup decoding, Saxena 2023, as in transformers and vLLM). The guess is the continuation
 * of the last tokens' latest earlier occurrence. A correct guess costs nothing. Its length adapts to the last results.
 */
final class PromptLookup {
    private static final int LONGEST_NGRAM = 3;
    private static final int SHORTEST_NGRAM = 2;
    private static final long[] NOTHING = {};

    private final int most;
    private int next;

    /** @param most tokens in a guess */
    PromptLookup(int most) {
        this.most = most;
        next = Math.min(2, most);
    }

    /** @param tokens of prompt and response so far */
    long[] draft(long[] tokens) {
        for (int n = LONGEST_NGRAM; n >= SHORTEST_NGRAM && next > 0; n--) {
            for (int end = tokens.length - 1; end >= n; end--) {
                if (Arrays.equals(tokens, end - n, end, tokens, tokens.length - n, tokens.length)) {
                    return Arrays.copyOfRange(tokens, end, Math.min(tokens.length, end + next));
                }
            }
        }
        return NOTHING;
    }

    /** Adapts the length of guesses to a result. */
    void verified(int guessed, int right) {
        if (guessed > 0) {
            next = right == guessed ? Math.min(most, 2 * next) : Math.max(1, Math.min(next, right + 1));
        }
    }
}
