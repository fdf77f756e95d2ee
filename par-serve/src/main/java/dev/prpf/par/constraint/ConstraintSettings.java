package dev.prpf.par.constraint;

import static dev.prpf.base.config.Rule.require;

/**
 * The maximum length of free texts, in tokens; a text at its limit is closed.
 *
 * @param thinking of the reasoning before its function selection
 * @param value of a text parameter
 * @param depth nesting levels of lists and objects that the pool does not specify
 */
record ConstraintSettings(int uiSummary, int thinking, int functionSelection, int instruction, int value, int depth) {
    /** Enough for the paper's responses. */
    public static final ConstraintSettings DEFAULT = new ConstraintSettings(512, 1024, 256, 128, 128, 2);

    /** Tokens of one character and its closing tag, with one token per byte. */
    private static final int LEAST = 32;

    public ConstraintSettings {
        int[] limits = {uiSummary, thinking, functionSelection, instruction, value};
        for (int limit : limits) {
            if (limit < LEAST) {
                throw new IllegalArgumentException("a limit of " + limit + " tokens is less than " + LEAST);
            }
        }
        require(depth >= 0, "depth", depth, "at least 0");
    }
}
