package dev.prpf.par.vision;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureGrid;

/**
 * A picture of a prompt before it is seen: only its header was read.
 *
 * @param image where its pixels are
 * @param key names what the tower will get of it: the file's content, the image processor and the budget of tokens; equal keys have equal
 *     features under one tower (SHA-256, lower-case hexadecimal)
 * @param grid the tokens that it takes
 */
public record Picture(ImageFile image, String key, PictureGrid grid) {
    /** Returns this image with its pixels decoded; see {@link ImageFile#decoded}. */
    public Picture decoded() {
        return new Picture(image.decoded(), key, grid);
    }
}
