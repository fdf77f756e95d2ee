package dev.prpf.par.generate;

/**
 * Restricts the tokens of one response, such as to a grammar. The response's sequence reports each of its tokens in order; no other
 * sequence shares the constraint.
 */
public interface TokenConstraint {
    /** Returns the number of tokens of the shortest complete text, with the end token. */
    int shortest();

    /**
     * Does a slice of the work for the next {@link #forced} and {@link #allowed}, of some milliseconds at most.
     *
     * @param left as in these methods
     * @return whether the work is done; if not, call again
     */
    default boolean prepare(int left) {
        return true;
    }

    /**
     * Returns the tokens that must come next; empty if the model chooses.
     *
     * @param left number of tokens that may still be generated, at least one
     */
    long[] forced(int left);

    /**
     * Returns the allowed next tokens.
     *
     * @param left number of tokens that may still be generated, at least one; an allowed token must permit an end within them
     * @return one bit per token, token t in bit t % 64 of word t / 64, at least one of them set; not to be changed
     */
    long[] allowed(int left);

    /** Records a generated token. */
    void accept(long token);
}
