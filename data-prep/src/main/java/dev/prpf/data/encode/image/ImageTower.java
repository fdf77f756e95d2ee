package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import java.util.List;

/** A frozen vision encoder of screenshots, with one vector per image. */
public interface ImageTower extends AutoCloseable {
    /** Returns the id, which names kind, weights and all settings that affect vectors. */
    String id();

    /** Returns the length of a vector. */
    int width();

    /**
     * Encodes images to one vector each, in order, shape (N, W).
     *
     * @throws PrpfException 65, naming the file, if an image is missing, invalid or too large
     */
    float[][] encode(List<ImageFile> images);

    /** Counts operations before weights are loaded, if counting needs a copy of them. */
    void countEarly();

    /** Returns the floating-point operations so far. */
    double flops();

    /** Returns the seconds spent on encoding so far, without loading the network. */
    double seconds();

    boolean loaded();

    @Override
    void close();
}
