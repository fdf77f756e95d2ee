package dev.prpf.par.vision;

import dev.prpf.par.engine.ImageGrid;
import java.util.List;

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
