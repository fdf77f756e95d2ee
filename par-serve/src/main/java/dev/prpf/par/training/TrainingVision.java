package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PictureEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The vision encoder of a training. As a {@link PictureEncoder} it returns the features that the policy has now, so prompts, rollouts and
 * predictions get the same features as the batches.
 */
public interface TrainingVision extends PictureEncoder {
    /** Returns the id of the placeholder token for one token of an image. */
    int placeholder();

    /**
     * Returns the features of a batch's images.
     *
     * @param scratch owns the features
     * @param pictures at least one
     * @param learn whether to compute gradients
     */
    BatchPictures see(PtNDManager scratch, List<Picture> pictures, boolean learn);

    /** Returns the features that a batch's images had before the training. */
    BatchPictures seeAtStart(PtNDManager scratch, List<Picture> pictures);

    /** Returns the trainable encoder; null if the encoder is frozen. */
    default @Nullable LearningVision trainable() {
        return null;
    }
}
