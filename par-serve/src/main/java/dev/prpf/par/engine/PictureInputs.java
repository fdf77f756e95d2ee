package dev.prpf.par.engine;

import dev.prpf.base.error.PrpfException;
import java.util.List;

/**
 * The pictures of a prompt with what the decoder sees of them.
 *
 * @param places where they stand
 * @param features one a picture, in order
 */
public record PictureInputs(PromptPictures places, List<PictureFeatures> features) {
    public PictureInputs {
        features = List.copyOf(features);
        if (!features.stream().map(PictureFeatures::grid).toList().equals(places.grids())) {
            throw new IllegalArgumentException("features of other pictures than " + places.grids());
        }
    }

    /** Of a prompt of text alone. */
    public static PictureInputs none(int length) {
        return new PictureInputs(PromptPictures.none(length), List.of());
    }

    /**
     * Finds the features' places in a prompt.
     *
     * @throws PrpfException as {@link PromptPictures#of}
     */
    public static PictureInputs of(long[] ids, int placeholder, List<PictureFeatures> features) {
        List<PictureGrid> grids = features.stream().map(PictureFeatures::grid).toList();
        return new PictureInputs(PromptPictures.of(ids, placeholder, grids), features);
    }
}
