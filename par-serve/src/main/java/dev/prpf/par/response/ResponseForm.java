package dev.prpf.par.response;

import dev.prpf.data.Modality;

/** Which of the grammar's variants a response must be one of (docs/RESPONSE.md). */
public enum ResponseForm {
    /** Any of the forms below. */
    ANY,
    /** Recommendations only ({@code reasoning: none}). */
    BARE,
    /** With thinking, for a text sample: no summary. */
    TEXT,
    /** With summary and thinking, for a sample with screens. */
    SCREENS,
    /** Single stage: calls alone. */
    FUNCTION,
    /** Single stage: recommendation and calls. */
    REC_FUNCTION,
    /** Single stage: thought and calls. */
    THINK_FUNCTION,
    /** Single stage: thought, recommendation and calls. */
    THINK_REC_FUNCTION;

    /** The form that a configuration asks of a sample. */
    public static ResponseForm of(ReasoningMode reasoning, Modality modality) {
        return switch (reasoning) {
            case NONE -> BARE;
            case FULL -> modality == Modality.TEXT ? TEXT : SCREENS;
            case FUNCTION -> FUNCTION;
            case REC_FUNCTION -> REC_FUNCTION;
            case THINK_FUNCTION -> THINK_FUNCTION;
            case THINK_REC_FUNCTION -> THINK_REC_FUNCTION;
        };
    }

    /** Whether it is one of ProactiveMobile's single-stage model. */
    public boolean singleStage() {
        return compareTo(FUNCTION) >= 0;
    }

    /** Whether a single-stage response that acts thinks first. */
    public boolean thinks() {
        return this == THINK_FUNCTION || this == THINK_REC_FUNCTION;
    }

    /** Whether a single-stage response recommends in words. */
    public boolean recommends() {
        return this == REC_FUNCTION || this == THINK_REC_FUNCTION;
    }
}
