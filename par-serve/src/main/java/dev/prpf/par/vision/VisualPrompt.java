package dev.prpf.par.vision;

import java.util.List;

/**
 * A prompt before its images are encoded; {@link PictureReader#see} encodes them.
 *
 * @param ids at least one; a placeholder for each token of an image
 * @param pictures in the order of their places; empty in a prompt of text
 */
public record VisualPrompt(long[] ids, List<PromptPicture> pictures) {
    public VisualPrompt {
        pictures = List.copyOf(pictures);
    }

    /** Creates a prompt of text only. */
    public static VisualPrompt ofText(long... ids) {
        return new VisualPrompt(ids, List.of());
    }

    /** Returns the images, in order. */
    public List<Picture> images() {
        return pictures.stream().map(PromptPicture::picture).toList();
    }
}
