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
    SCREENS;

    /** The form that a configuration asks of a sample. */
    public static ResponseForm of(ReasoningMode reasoning, Modality modality) {
        if (reasoning == ReasoningMode.NONE) {
            return BARE;
        }
        return modality == Modality.TEXT ? TEXT : SCREENS;
    }
}
