package dev.prpf.par.cascade;

import dev.prpf.par.generate.TokenConstraint;
import java.util.Arrays;

/** Lets one text be written and nothing else, so that its log-probability is known; behind its end its last token comes again. */
final class ForcedSpelling implements TokenConstraint {
    private final long[] tokens;
    private final int vocabulary;
    private int written;

    /** @param tokens of the text, at least one */
    ForcedSpelling(long[] tokens, int vocabulary) {
        this.tokens = tokens.clone();
        this.vocabulary = vocabulary;
    }

    @Override
    public int shortest() {
        return tokens.length;
    }

    @Override
    public long[] forced(int left) {
        return written < tokens.length
                ? Arrays.copyOfRange(tokens, written, tokens.length)
                : new long[] {tokens[tokens.length - 1]};
    }

    @Override
    public long[] allowed(int left) {
        int next = (int) tokens[Math.min(written, tokens.length - 1)];
        long[] bits = new long[(vocabulary + Long.SIZE - 1) / Long.SIZE];
        bits[next / Long.SIZE] = 1L << next;
        return bits;
    }

    @Override
    public void accept(long token) {
        written++;
    }
}
