package dev.prpf.par.response;

/** The content of responses in addition to the calls: PRPF's forms, or those of ProactiveMobile's single-stage model (its Table 5). */
public enum ReasoningMode {
    /** PRPF's recommendations only: no summary, no thinking (small models). */
    NONE,
    /** PRPF's form: summary (screenshots only), thinking with the function selection, recommendations. */
    FULL,
    /** Single stage: only the calls. */
    FUNCTION,
    /** Single stage: the recommendation in words, then the calls. */
    REC_FUNCTION,
    /** Single stage: a thought, then the calls. */
    THINK_FUNCTION,
    /** Single stage: a thought, the recommendation in words, then the calls. */
    THINK_REC_FUNCTION;

    /** Returns whether acting responses have reasoning. */
    public boolean reasons() {
        return this == FULL || this == THINK_FUNCTION || this == THINK_REC_FUNCTION;
    }

    /** Returns whether the form is ProactiveMobile's. */
    public boolean singleStage() {
        return this != NONE && this != FULL;
    }
}
