package dev.prpf.par.grpo;

/** What the ratio of new to old probability belongs to. */
public enum ImportanceLevel {
    /** Every token has its own. */
    TOKEN,
    /** The geometric mean over a response's tokens, one for all of them (GSPO, arXiv:2507.18071 eq. 7). */
    SEQUENCE
}
