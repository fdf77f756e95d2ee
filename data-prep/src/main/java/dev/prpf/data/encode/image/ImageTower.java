package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import java.util.List;

/** A frozen vision tower as an encoder of screenshots: one vector an image. */
public interface ImageTower extends AutoCloseable {
    /** Names kind, weights and what else decides the vectors. */
    String id();

    /** Length of a vector. */
    int width();

    /**
     * One vector an image, in order, shape (N, W).
     *
     * @throws PrpfException 65, naming the file, if one is missing, no image, or too large
     */
    float[][] encode(List<ImageFile> images);

    /** {@link #flops} will be asked for: operations are counted before weights are loaded, where counting needs a copy of them. */
    void countEarly();

    /** Floating-point operations so far. */
    double flops();

    /** How long images were encoded so far, the loading of the tower left out. */
    double seconds();

    /** Whether the weights were loaded. */
    boolean loaded();

    @Override
    void close();
}
