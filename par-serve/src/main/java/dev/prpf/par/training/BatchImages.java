package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The images of a batch, in place of their placeholders.
 *
 * @param placeholder id of the token for one token of an image; -1 without images
 * @param features of all images, concatenated in the order of the examples, (N, D) float32
 * @param tower continues the backward pass from the features' gradient (N, D); null if the vision encoder is frozen
 */
public record BatchImages(int placeholder, PtNDArray features, @Nullable Consumer<PtNDArray> tower) {
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
