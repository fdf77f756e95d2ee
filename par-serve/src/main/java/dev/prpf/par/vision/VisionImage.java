package dev.prpf.par.vision;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageGrid;

/**
 * An image of a prompt before encoding: only its header was read.
 *
 * @param image source of its pixels
 * @param key of the file's content, the image processor and the token budget (SHA-256, lower-case hexadecimal). Equal keys have equal features
 *     under one vision encoder
 * @param grid of its tokens
 */
public record VisionImage(ImageFile image, String key, ImageGrid grid) {
    /** Returns this image with its pixels decoded; see {@link ImageFile#decoded}. */
    public VisionImage decoded(Runnable waiting) {
        return new VisionImage(image.decoded(waiting), key, grid);
    }
}
