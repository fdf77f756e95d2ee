package dev.prpf.par.vision;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import java.util.List;

/**
 * A prompt before its images are encoded; {@link PromptImageReader#see} encodes them.
 *
 * @param ids at least one; a placeholder for each token of an image
 * @param shown in the order of their places; empty in a prompt of text
 */
public record VisualPrompt(long[] ids, List<PromptImage> shown) {
    /** Creates a prompt of text only. */
    public static VisualPrompt ofText(long... ids) {
        return new VisualPrompt(ids, List.of());
    }

    /** Returns the images, in order. */
    public List<VisionImage> images() {
        return shown.stream().map(PromptImage::image).toList();
    }

    /**
     * A screenshot that a prompt shows as an image.
     *
     * @param path as in the record
     * @param image the image for the encoder
     * @param reduced whether it was scaled down to the prompt's budget of visual tokens
     */
    public record PromptImage(String path, VisionImage image, boolean reduced) {
        static List<ImageGrid> grids(List<PromptImage> images) {
            return images.stream().map(shown -> shown.image().grid()).toList();
        }

        public static int tokens(List<PromptImage> images) {
            return grids(images).stream().mapToInt(ImageGrid::tokens).sum();
        }
    }

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
}
