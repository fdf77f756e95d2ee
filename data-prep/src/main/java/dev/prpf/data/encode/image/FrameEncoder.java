package dev.prpf.data.encode.image;

import dev.prpf.data.encode.store.EmbeddingStore;
import java.util.List;

/** A frozen encoder of screenshots (f_img of PRPF eq. 2). */
public interface FrameEncoder extends AutoCloseable {
    /** Names weights and version; part of every key in an {@link EmbeddingStore} and of every perceiver checkpoint. */
    String id();

    /** Length of a vector. */
    int width();

    /**
     * One vector of {@link #width()} finite floats a picture, in order; equal pictures are encoded once.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the file, if one is missing, no picture, or too large
     */
    float[][] encode(List<Picture> pictures);

    @Override
    void close();
}
