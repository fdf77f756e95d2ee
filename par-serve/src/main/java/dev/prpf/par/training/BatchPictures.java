package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What stands in a batch in the place of its pictures' placeholders.
 *
 * @param placeholder id of the token that stands for one of a picture's tokens; -1 where there are no pictures
 * @param features of all pictures, one behind the other in the order of the examples, (N, D) float32
 * @param tower takes the gradient of the features, (N, D), on through what they came from; null where that does not learn
 */
public record BatchPictures(int placeholder, PtNDArray features, @Nullable Consumer<PtNDArray> tower) {
    /** Of a batch of text. */
    public static BatchPictures none(PtNDManager owner) {
        return new BatchPictures(-1, (PtNDArray) owner.create(new float[0], new Shape(0)), null);
    }

    /** Takes the gradient that came back to the features further; to be called after the decoder's backward pass. */
    public void backward() {
        if (tower != null) {
            try (PtNDArray gradient = features.getGradient()) {
                tower.accept(gradient);
            }
        }
    }
}
