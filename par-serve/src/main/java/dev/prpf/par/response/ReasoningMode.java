package dev.prpf.par.response;

/** Whether responses carry their reasoning. */
public enum ReasoningMode {
    /** Recommendations only: no summary, no thinking (small models). */
    NONE,
    /** The paper's form: summary (screens only), thinking with the function selection, recommendations. */
    FULL
}
