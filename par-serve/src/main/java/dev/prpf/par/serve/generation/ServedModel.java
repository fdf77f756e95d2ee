package dev.prpf.par.serve.generation;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisualPrompt;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasoner of a server. Does not own its parts; the caller closes them.
 *
 * @param names that requests may use; answers have the first
 * @param chat its tokenizer and chat template
 * @param defaults of its generation_config.json, for fields that a request omits; with the end tokens
 * @param service that generates
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

    /** Returns whether the model takes images. */
    public boolean sees() {
        return chat.images().sees();
    }

    /** Returns why the model takes no images: it is a text model, or its vision encoder or image processor file is missing. */
    public String noImagesMessage() {
        return "the model " + id()
                + " takes no images, it is served without a vision encoder; give text, or use a vision-language model";
    }

    /**
     * Encodes a prompt's images for the engine, in the request's turn ({@link VisionTurns}).
     *
     * @param caller API key, for fair turns
     * @param waiting throws if the client disconnected
     * @throws ApiException 400 for an image that cannot be decoded, else as {@link VisionTurns#turn}
     */
    public Prompt see(VisualPrompt prompt, String caller, Runnable waiting) {
        if (prompt.images().isEmpty()) {
            return Prompt.ofText(prompt.ids());
        }
        PromptImageReader images = chat.images();
        try {
            return service.vision().see(caller, waiting, images.encoder(), prompt, cost -> images.see(prompt));
        } catch (InvalidDataException e) {
            throw ApiException.invalid("messages", String.valueOf(e.getMessage()));
        }
    }

    /** Returns its name in answers. */
    public String id() {
        return names.get(0);
    }

    /**
     * Refuses a request for another model.
     *
     * @param name in the request; null for the served model
     * @throws ApiException 404 {@code model_not_found}
     */
    public void requireNamed(@Nullable String name) {
        if (name != null && !names.contains(name)) {
            throw ApiException.notFound(
                    "model", "model_not_found", "the model \"" + name + "\" is not served here; " + id() + " is");
        }
    }
}
