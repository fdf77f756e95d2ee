package dev.prpf.par.vision;

import java.util.List;

/**
 * A prompt whose images are not encoded yet; {@link PictureReader#see} encodes them.
 *
 * @param ids at least one; a placeholder for each of a picture's tokens
 * @param pictures in the order of their places; none in a prompt of text
 */
public record VisualPrompt(long[] ids, List<PromptPicture> pictures) {
    public VisualPrompt {
        pictures = List.copyOf(pictures);
    }

    /** Makes a prompt of text only. */
    public static VisualPrompt ofText(long... ids) {
        return new VisualPrompt(ids, List.of());
    }

    /** Returns the images, in order. */
    public List<Picture> images() {
        return pictures.stream().map(PromptPicture::picture).toList();
    }
}
