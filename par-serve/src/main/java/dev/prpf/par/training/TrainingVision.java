package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisionImage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The vision encoder of a training. As a {@link VisionEncoder} it returns the features that the policy has now, so prompts, rollouts and
 * predictions get the same features as the batches.
 */
public interface TrainingVision extends VisionEncoder {
    /** Returns the id of the placeholder token for one token of an image. */
    int placeholder();

    /**
     * Returns the features of a batch's images.
     *
     * @param scratch owns the features
     * @param images at least one
     * @param learn whether to compute gradients
     */
    BatchImages see(PtNDManager scratch, List<VisionImage> images, boolean learn);

    /** Returns the features that a batch's images had before the training. */
    BatchImages seeAtStart(PtNDManager scratch, List<VisionImage> images);

    /** Returns the trainable encoder; null if the encoder is frozen. */
    default @Nullable LearningVision trainable() {
        return null;
    }
}
