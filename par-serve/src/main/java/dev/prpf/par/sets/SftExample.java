package dev.prpf.par.sets;

import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;

/**
 * A supervised pair as tokens.
 *
 * @param prompt input without a loss; at least one token
 * @param response with a loss, including its end token; at least one token
 * @param images images of the prompt's placeholders, in order; empty for text
 */
public record SftExample(long[] prompt, long[] response, List<VisionImage> images) {
    public SftExample {
        images = List.copyOf(images);
        if (prompt.length == 0 || response.length == 0) {
            throw new IllegalArgumentException("an example must have a prompt and a response; they have "
                    + prompt.length + " and " + response.length + " tokens");
        }
    }

    /** Creates an example without images. */
    public SftExample(long[] prompt, long[] response) {
        this(prompt, response, List.of());
    }

    public static SftExample of(PromptExample prompt, long[] response) {
        return new SftExample(prompt.ids(), response, prompt.prompt().images());
    }

    /** Returns the total number of tokens. */
    public int length() {
        return prompt.length + response.length;
    }
}
