package dev.prpf.par.generate;

/** What one row may write. It is told every token written, in order, and used by one row only. */
public interface TokenConstraint {
    /** Tokens of the shortest text that is complete, the end token included. */
    int shortest();

    /**
     * Does a part of the work that {@link #forced} and {@link #allowed} need next, for some milliseconds at most.
     *
     * @param left as for these
     * @return whether no work is left; else call again
     */
    default boolean prepare(int left) {
        return true;
    }

    /**
     * Tokens that come next whatever the model says; empty where the model chooses.
     *
     * @param left tokens that may still be written, at least one
     */
    long[] forced(int left);

    /**
     * Which tokens may come next.
     *
     * @param left tokens that may still be written, at least one; a token is allowed only if what it begins can be completed within them
     * @return a bit a token, token t in bit t % 64 of word t / 64, at least one of them set; not to be changed
     */
    long[] allowed(int left);

    /** A token was written. */
    void accept(long token);
}
