package dev.prpf.data.encode.text;

import dev.prpf.data.encode.store.EmbeddingStore;
import java.util.List;

/** A frozen text encoder (f_text of PRPF eq. 2). */
public interface TextEncoder extends AutoCloseable {
    /** Names weights and version; part of every key in an {@link EmbeddingStore} and of every perceiver checkpoint. */
    String id();

    /** Length of a vector. */
    int width();

    /** One vector of {@link #width()} floats a text, in order. */
    float[][] encode(List<String> texts);

    @Override
    void close();
}
