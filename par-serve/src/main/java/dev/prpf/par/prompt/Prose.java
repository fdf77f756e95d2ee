package dev.prpf.par.prompt;

import dev.prpf.data.Modality;
import dev.prpf.par.response.ReasoningMode;
import org.jspecify.annotations.Nullable;

/** The text of a prompt beside the sample's own. */
sealed interface Prose permits PaperProse, ProactiveMobileProse {
    /** The system message. */
    String SYSTEM = "You are a helpful assistant.";

    /** The prose of a wording, or null where it has none. */
    static @Nullable Prose of(PromptWording wording) {
        return switch (wording) {
            case FULL -> PaperProse.FULL;
            case ENGLISH -> PaperProse.ENGLISH;
            case PROACTIVEMOBILE -> ProactiveMobileProse.CHINESE;
            case BRIEF -> null;
        };
    }

    /** The task, with its line end. */
    String task(Modality modality);

    /** The form of the response, without a line end. */
    String instructions(ReasoningMode reasoning, Modality modality);

    /** The last sentence of {@link PromptLayout#PROACTIVEMOBILE}; empty in a wording without one. */
    default String closing(Modality modality) {
        return "";
    }
}
