package dev.prpf.par.constraint;

/** Numbers of tokens that may be out of reach. */
final class Cost {
    /** No token of the vocabulary leads on. */
    static final int NEVER = 1 << 28;

    private Cost() {}

    static int sum(int a, int b) {
        return Math.min(NEVER, a + b);
    }
}
