package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PictureEncoder;
import java.util.List;

/**
 * A frozen vision encoder: the features of an image never change, so the encoder may cache them.
 *
 * @param encoder the caller closes it
 */
public record FrozenVision(PictureEncoder encoder, int placeholder) implements TrainingVision {
    @Override
    public Picture picture(ImageFile image, int maxTokens) {
        return encoder.picture(image, maxTokens);
    }

    @Override
    public List<PictureFeatures> features(List<Picture> pictures) {
        return encoder.features(pictures);
    }

    @Override
    public BatchPictures see(PtNDManager scratch, List<Picture> pictures, boolean learn) {
        return batch(scratch, encoder.features(pictures), placeholder);
    }

    /** Concatenates features that get no gradient. */
    static BatchPictures batch(PtNDManager scratch, List<PictureFeatures> features, int placeholder) {
        int width = features.get(0).width();
        int tokens = features.stream().mapToInt(one -> one.grid().tokens()).sum();
        float[] values = new float[Math.multiplyExact(tokens, width)];
        int at = 0;
        for (PictureFeatures one : features) {
            System.arraycopy(one.values(), 0, values, at, one.values().length);
            at += one.values().length;
        }
        return new BatchPictures(placeholder, (PtNDArray) scratch.create(values, new Shape(tokens, width)), null);
    }

    @Override
    public BatchPictures seeAtStart(PtNDManager scratch, List<Picture> pictures) {
        return see(scratch, pictures, false);
    }
}
