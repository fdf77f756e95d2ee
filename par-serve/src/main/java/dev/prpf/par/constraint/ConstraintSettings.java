package dev.prpf.par.constraint;

import static dev.prpf.base.config.Rule.require;

/**
 * How long free text may be, in tokens; what reaches its limit is closed.
 *
 * @param uiSummary of the summary
 * @param thinking of the thinking before its function selection
 * @param functionSelection of the function selection
 * @param instruction of an instruction
 * @param value of a text among the parameters
 * @param depth lists and objects that values may nest where the pool leaves them open
 */
public record ConstraintSettings(
        int uiSummary, int thinking, int functionSelection, int instruction, int value, int depth) {
    /** Room for what the paper's responses hold. */
    public static final ConstraintSettings DEFAULT = new ConstraintSettings(512, 1024, 256, 128, 128, 2);

    /** A text of one character and its closing tag need as many, each byte a token of its own. */
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
