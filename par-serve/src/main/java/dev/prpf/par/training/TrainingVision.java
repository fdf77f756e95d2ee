package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;
import java.util.function.Consumer;
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

    /**
     * The images of a batch, in place of their placeholders.
     *
     * @param placeholder id of the token for one token of an image; -1 without images
     * @param features of all images, concatenated in the order of the examples, (N, D) float32
     * @param tower continues the backward pass from the features' gradient (N, D); null if the vision encoder is frozen
     */
    record BatchImages(int placeholder, PtNDArray features, @Nullable Consumer<PtNDArray> tower) {
        /** Returns the images of a text batch. */
        public static BatchImages none(PtNDManager owner) {
            return new BatchImages(-1, (PtNDArray) owner.create(new float[0], new Shape(0)), null);
        }

        /** Continues the backward pass from the features' gradient; call after the decoder's backward pass. */
        public void backward() {
            if (tower != null) {
                try (PtNDArray gradient = features.getGradient()) {
                    tower.accept(gradient);
                }
            }
        }
    }

    /**
     * A vision encoder that the training leaves unchanged, so that the features of an image can be cached.
     *
     * @param encoder the caller closes it
     */
    record FrozenVision(VisionEncoder encoder, int placeholder) implements TrainingVision {
        @Override
        public VisionImage image(ImageFile image, int maxTokens) {
            return encoder.image(image, maxTokens);
        }

        @Override
        public List<ImageFeatures> features(List<VisionImage> images) {
            return encoder.features(images);
        }

        @Override
        public BatchImages see(PtNDManager scratch, List<VisionImage> images, boolean learn) {
            return batch(scratch, encoder.features(images), placeholder);
        }

        static BatchImages batch(PtNDManager scratch, List<ImageFeatures> features, int placeholder) {
            int width = features.get(0).width();
            int tokens = features.stream().mapToInt(one -> one.grid().tokens()).sum();
            float[] values = new float[Math.multiplyExact(tokens, width)];
            int at = 0;
            for (ImageFeatures one : features) {
                System.arraycopy(one.values(), 0, values, at, one.values().length);
                at += one.values().length;
            }
            return new BatchImages(placeholder, (PtNDArray) scratch.create(values, new Shape(tokens, width)), null);
        }

        @Override
        public BatchImages seeAtStart(PtNDManager scratch, List<VisionImage> images) {
            return see(scratch, images, false);
        }
    }
}
