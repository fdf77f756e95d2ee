package dev.prpf.par.teacher;

import java.util.List;

/** Writes the rationales of responses that act. */
public interface Teacher extends AutoCloseable {
    /** Names the teacher and its version. */
    String id();

    /**
     * Writes a response for each request, in order. A response recommends the request's answer and nothing else, and has the form that the
     * sample's modality asks for.
     */
    List<RationaleResult> write(List<RationaleRequest> requests);

    /** Frees what the teacher holds, if anything. */
    @Override
    default void close() {}
}
