package dev.prpf.par.prompt;

import dev.prpf.data.Sample.Modality;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import org.jspecify.annotations.Nullable;

/** The fixed sentences of a prompt in one wording: the task and the instructions, without the sample's texts. */
sealed interface Prose permits PaperProse, ProactiveMobileProse {
    /** The system message of all wordings. */
    String SYSTEM = "You are a helpful assistant.";

    /** Returns the prose of a wording, or null if it has none. */
    static @Nullable Prose of(PromptWording wording) {
        return switch (wording) {
            case FULL -> PaperProse.FULL;
            case ENGLISH -> PaperProse.ENGLISH;
            case PROACTIVEMOBILE -> ProactiveMobileProse.CHINESE;
            case BRIEF -> null;
        };
    }

    /** Returns the task, with its line end. */
    String task(Modality modality);

    /** Returns the form of the response, without a line end. */
    String instructions(ReasoningMode reasoning, Modality modality);

    /** Returns the last sentence of {@link PromptLayout#PROACTIVEMOBILE}; empty in a wording without one. */
    default String closing(Modality modality) {
        return "";
    }
}
