package dev.prpf.par.serve.generation;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.vision.PictureReader;
import dev.prpf.par.vision.VisualPrompt;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasoner as clients know it. It closes nothing: its parts stay whose they are.
 *
 * @param names that requests may call it by; answers have the first
 * @param chat its tokenizer and chat template
 * @param defaults what its generation_config.json asks for, where a request does not say; the end tokens among it
 * @param service where it generates
 * @param created when it was loaded
 */
public record ServedModel(
        List<String> names,
        ChatTokenizer chat,
        GenerationDefaults defaults,
        GenerationService service,
        Instant created) {
    public ServedModel {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("a served model needs a name");
        }
    }

    /** Whether it takes pictures. */
    public boolean sees() {
        return chat.pictures().sees();
    }

    /** Why it takes no pictures, where it does not: it is a model of text, or its tower or its image processor's file is missing. */
    public String blindness() {
        return "the model " + id()
                + " takes no pictures, it is served without a vision tower; give text, or ask a vision-language model";
    }

    /**
     * Encodes a prompt's images for the engine, in the request's turn ({@link VisionTurns}).
     *
     * @param caller whose turn it takes
     * @param waiting throws where nobody waits any more
     * @throws ApiException 400 for a picture that cannot be decoded, else as {@link VisionTurns#turn}
     */
    public Prompt see(VisualPrompt prompt, String caller, Runnable waiting) {
        if (prompt.pictures().isEmpty()) {
            return Prompt.ofText(prompt.ids());
        }
        PictureReader pictures = chat.pictures();
        VisionTurns turns = service.vision();
        Runnable limited = turns.limited(waiting);
        try {
            turns.ahead(caller, limited, pictures.encoder(), prompt);
            return turns.turn(caller, limited, () -> pictures.see(prompt));
        } catch (InvalidDataException e) {
            throw ApiException.invalid("messages", String.valueOf(e.getMessage()));
        }
    }

    /** Its name in answers. */
    public String id() {
        return names.get(0);
    }

    /**
     * Refuses a request for another model.
     *
     * @param name that the request has; null for whichever is served
     * @throws ApiException 404 {@code model_not_found}
     */
    public void requireNamed(@Nullable String name) {
        if (name != null && !names.contains(name)) {
            throw ApiException.notFound(
                    "model", "model_not_found", "the model \"" + name + "\" is not served here; " + id() + " is");
        }
    }
}
