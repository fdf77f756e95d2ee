package dev.prpf.par.response;

/** What responses hold beside the calls: PRPF's forms, or those of ProactiveMobile's single-stage model (its Table 5). */
public enum ReasoningMode {
    /** PRPF's recommendations only: no summary, no thinking (small models). */
    NONE,
    /** PRPF's form: summary (screens only), thinking with the function selection, recommendations. */
    FULL,
    /** Single stage: the calls alone. */
    FUNCTION,
    /** Single stage: the recommendation in words, then the calls. */
    REC_FUNCTION,
    /** Single stage: a thought, then the calls. */
    THINK_FUNCTION,
    /** Single stage: a thought, the recommendation in words, then the calls. */
    THINK_REC_FUNCTION;

    /** Whether responses that act carry a rationale. */
    public boolean reasons() {
        return this == FULL || this == THINK_FUNCTION || this == THINK_REC_FUNCTION;
    }

    /** Whether responses are ProactiveMobile's. */
    public boolean singleStage() {
        return this != NONE && this != FULL;
    }
}
