package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.training.TrainingVision.BatchImages;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;

/**
 * A vision encoder that the training leaves unchanged, so that the features of an image can be cached.
 *
 * @param encoder the caller closes it
 */
public record FrozenVision(VisionEncoder encoder, int placeholder) implements TrainingVision {
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

    /** Concatenates features that get no gradient. */
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
