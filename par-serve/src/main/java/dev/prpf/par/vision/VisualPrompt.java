package dev.prpf.par.vision;

import java.util.List;

/**
 * A prompt before its images are encoded; {@link PromptImageReader#see} encodes them.
 *
 * @param ids at least one; a placeholder for each token of an image
 * @param shown in the order of their places; empty in a prompt of text
 */
public record VisualPrompt(long[] ids, List<PromptImage> shown) {
    public VisualPrompt {
        shown = List.copyOf(shown);
    }

    /** Creates a prompt of text only. */
    public static VisualPrompt ofText(long... ids) {
        return new VisualPrompt(ids, List.of());
    }

    /** Returns the images, in order. */
    public List<VisionImage> images() {
        return shown.stream().map(PromptImage::image).toList();
    }
}
