package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;

/** Encodes images for a decoder: a model's image processor and vision encoder. */
public interface VisionEncoder {
    /**
     * Returns an image with its number of tokens; does not decode its pixels.
     *
     * @param maxTokens most tokens; 0 for the image processor's own limit
     * @throws PrpfException 65, naming the file, if it is missing, not an image, too large or too narrow
     */
    VisionImage image(ImageFile image, int maxTokens);

    /**
     * Returns the features of images, in order; equal images are computed once.
     *
     * @throws PrpfException 65, naming the file, if one cannot be decoded
     */
    List<ImageFeatures> features(List<VisionImage> images);

    /** Returns whether the encoder caches features and lacks this image, so that encoding it ahead saves work later. */
    default boolean lacks(VisionImage image) {
        return false;
    }

    /** Returns the cost of all features so far; cached ones cost nothing. */
    default EncodingCost cost() {
        return EncodingCost.NONE;
    }
}
