package dev.prpf.par.vision;

import dev.prpf.par.engine.PictureGrid;
import java.util.List;

/**
 * A screenshot that a prompt shows as a picture.
 *
 * @param path as the record gives it
 * @param picture what is seen of it
 * @param reduced whether it was made smaller to keep to the prompt's budget of visual tokens
 */
public record PromptPicture(String path, Picture picture, boolean reduced) {
    /** Their grids, in order. */
    static List<PictureGrid> grids(List<PromptPicture> pictures) {
        return pictures.stream().map(shown -> shown.picture().grid()).toList();
    }

    /** Tokens that they take in a prompt. */
    public static int tokens(List<PromptPicture> pictures) {
        return grids(pictures).stream().mapToInt(PictureGrid::tokens).sum();
    }
}
