package dev.prpf.par.response;

import dev.prpf.data.Sample.Modality;

/** The variant of the grammar that a response must follow (docs/RESPONSE.md). */
public enum ResponseForm {
    /** Any of the forms below. */
    ANY,
    /** Recommendations without reasoning ({@code reasoning: none}). */
    BARE,
    /** With thinking, for a text sample: no summary. */
    TEXT,
    /** With summary and thinking, for a sample with screenshots. */
    SCREENS,
    /** Single stage: only calls. */
    FUNCTION,
    /** Single stage: recommendation and calls. */
    REC_FUNCTION,
    /** Single stage: thought and calls. */
    THINK_FUNCTION,
    /** Single stage: thought, recommendation and calls. */
    THINK_REC_FUNCTION;

    /** Returns the form that a configuration requires for a sample. */
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

    /** Returns whether the form is ProactiveMobile's single-stage model's. */
    public boolean singleStage() {
        return compareTo(FUNCTION) >= 0;
    }

    /** Returns whether an acting single-stage response has a thought. */
    public boolean thinks() {
        return this == THINK_FUNCTION || this == THINK_REC_FUNCTION;
    }

    /** Returns whether a single-stage response has a recommendation in words. */
    public boolean recommends() {
        return this == REC_FUNCTION || this == THINK_REC_FUNCTION;
    }

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
}
