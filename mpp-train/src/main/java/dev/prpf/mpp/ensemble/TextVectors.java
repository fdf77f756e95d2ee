package dev.prpf.mpp.ensemble;

import java.util.List;

/** A frozen text encoder as the members of an ensemble see it. */
public interface TextVectors {
    /** Name and version. */
    String id();

    /** E, floats a vector. */
    int width();

    /** The vectors of texts, in order, shape (N, E). */
    float[][] encode(List<String> texts);
}
