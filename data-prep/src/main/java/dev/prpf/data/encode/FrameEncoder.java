package dev.prpf.data.encode;

import java.nio.file.Path;

/** A frozen encoder of screenshots (f_img of PRPF eq. 2). */
public interface FrameEncoder extends AutoCloseable {
    /** Names weights and version; part of every key in an {@link EmbeddingStore} and of every perceiver checkpoint. */
    String id();

    /** Length of a vector. */
    int width();

    /**
     * One vector of {@link #width()} floats.
     *
     * @throws dev.prpf.data.run.PrpfException 65, naming the file, if it is missing, no picture, or too large
     */
    float[] encode(Path picture);

    @Override
    void close();
}
