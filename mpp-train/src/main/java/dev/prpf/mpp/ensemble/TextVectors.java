package dev.prpf.mpp.ensemble;

import java.util.List;

/** A frozen text encoder for the members of an ensemble. */
public interface TextVectors {
    /** Name and version of the encoder. */
    String id();

    /** The width E of a vector. */
    int width();

    /** Encodes texts in order, shape (N, E). */
    float[][] encode(List<String> texts);
}
