package dev.prpf.par.teacher;

import java.util.List;

/** Writes the rationales of acting responses. */
public interface Teacher extends AutoCloseable {
    /** Name of the teacher and its version. */
    String id();

    /**
     * Writes a response for each request, in order. A response recommends exactly the request's answer, in the form of the sample's modality.
     */
    List<RationaleResult> write(List<RationaleRequest> requests);

    /** Frees the teacher's resources, if any. */
    @Override
    default void close() {}
}
