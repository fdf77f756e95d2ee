package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PictureEncoder;
import dev.prpf.par.vision.VisionWeights;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a training sees pictures with. As a {@link PictureEncoder} it gives the features that the policy has now, so that prompts, rollouts and
 * predictions see what the batches see.
 */
public interface TrainingVision extends PictureEncoder, AutoCloseable {
    /** Id of the token that stands for one of a picture's tokens. */
    int placeholder();

    /**
     * What stands in a batch for its pictures.
     *
     * @param scratch owns the features
     * @param pictures at least one
     * @param learn whether gradients are wanted
     */
    BatchPictures see(PtNDManager scratch, List<Picture> pictures, boolean learn);

    /** The same before the training. */
    BatchPictures seeAtStart(PtNDManager scratch, List<Picture> pictures);

    /**
     * Begins, or goes on from a checkpoint.
     *
     * @param checkpoint null for the model that the training starts from
     */
    void open(@Nullable Path checkpoint);

    /** What learns, by its Hugging Face name; nothing where the tower is frozen. */
    Map<String, PtNDArray> parameters();

    /** Whether a batch has brought what learns a gradient since the last {@link #gradientUsed}: one of text does not. */
    boolean hasGradient();

    /** An optimizer step has used the gradient. */
    void gradientUsed();

    /** The tower as it is now; null where it stays that of the model that the training starts from. */
    @Nullable
    VisionWeights weights();

    /** Writes what {@link #open} goes on from into a checkpoint that holds no whole model. */
    void save(Path checkpoint) throws IOException;

    @Override
    void close();
}
