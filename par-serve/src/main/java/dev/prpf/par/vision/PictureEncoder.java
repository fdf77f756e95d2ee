package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import java.util.List;

/** What pictures become for a decoder: a model's image processor and vision tower. */
public interface PictureEncoder {
    /**
     * A picture with the tokens that it takes; its pixels are not decoded.
     *
     * @param maxTokens that it may take at most; 0 for the image processor's own bound
     * @throws PrpfException 65, naming the file, if it is missing, no picture, too large or too narrow
     */
    Picture picture(ImageFile image, int maxTokens);

    /**
     * Features of pictures, in order; equal ones are computed once.
     *
     * @throws PrpfException 65, naming the file, if one cannot be decoded
     */
    List<PictureFeatures> features(List<Picture> pictures);

    /** Returns whether the encoder caches features and lacks this image, so that encoding it ahead saves work later. */
    default boolean lacks(Picture picture) {
        return false;
    }

    /** What computing features cost so far, all pictures together; what a store had costs nothing. */
    default EncodingCost cost() {
        return EncodingCost.NONE;
    }
}
