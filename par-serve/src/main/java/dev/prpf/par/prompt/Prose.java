package dev.prpf.par.prompt;

import dev.prpf.data.Modality;
import dev.prpf.par.response.ReasoningMode;
import org.jspecify.annotations.Nullable;

/** What a prompt says beside the sample's own words. */
interface Prose {
    /** The prose of a wording, or null where it has none. */
    static @Nullable Prose of(PromptWording wording) {
        return switch (wording) {
            case FULL -> new FullWording();
            case ENGLISH -> new EnglishWording();
            case BRIEF -> null;
        };
    }

    /** The system message. */
    default String system() {
        return "You are a helpful assistant.";
    }

    /** What is asked, with its line end. */
    String task(Modality modality);

    /** What the response looks like, without a line end. */
    String instructions(ReasoningMode reasoning, Modality modality);
}
