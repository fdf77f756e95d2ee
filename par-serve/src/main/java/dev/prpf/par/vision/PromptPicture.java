package dev.prpf.par.vision;

import dev.prpf.par.engine.PictureGrid;
import java.util.List;

/**
 * A screenshot that a prompt shows as an image.
 *
 * @param path as in the record
 * @param picture the image for the encoder
 * @param reduced whether it was scaled down to the prompt's budget of visual tokens
 */
public record PromptPicture(String path, Picture picture, boolean reduced) {
    /** Returns the grids of images, in order. */
    static List<PictureGrid> grids(List<PromptPicture> pictures) {
        return pictures.stream().map(shown -> shown.picture().grid()).toList();
    }

    /** Returns the number of tokens of images in a prompt. */
    public static int tokens(List<PromptPicture> pictures) {
        return grids(pictures).stream().mapToInt(PictureGrid::tokens).sum();
    }
}
