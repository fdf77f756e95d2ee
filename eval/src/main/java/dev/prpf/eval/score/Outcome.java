package dev.prpf.eval.score;

/** Where a prediction ended under SR scoring (after PRPF Figure 4); every sample has exactly one. */
public enum Outcome implements Labelled {
    SUCCESS,
    /** Silent where the best-matched answer acts. */
    REFUSAL,
    /** Acts with other functions than the best-matched answer, which acts. */
    FUNCTION_ERROR,
    /** The right functions in the right order, but not equivalent. */
    ARGUMENT_ERROR,
    /** Acts where silence was right. */
    FALSE_TRIGGER,
    /** The response could not be read. */
    MALFORMED;

    public static Outcome of(SampleScore score) {
        if (score.success()) {
            return SUCCESS;
        }
        if (score.malformed()) {
            return MALFORMED;
        }
        if (!score.acts()) {
            return REFUSAL;
        }
        if (score.match().isSilence()) {
            return FALSE_TRIGGER;
        }
        return score.match().exact() ? ARGUMENT_ERROR : FUNCTION_ERROR;
    }
}
