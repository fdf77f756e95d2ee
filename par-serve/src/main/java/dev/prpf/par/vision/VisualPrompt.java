package dev.prpf.par.vision;

import java.util.List;

/**
 * A prompt's tokens and the pictures among them.
 *
 * @param ids at least one; a placeholder for each of a picture's tokens
 * @param pictures in the order of their places; none in a prompt of text
 */
public record VisualPrompt(long[] ids, List<PromptPicture> pictures) {
    public VisualPrompt {
        pictures = List.copyOf(pictures);
    }
}
