package dev.prpf.par.teacher;

import java.util.List;

/** Writes the reasoning of responses that act. */
public interface Teacher extends AutoCloseable {
    /** Names the teacher and its version. */
    String id();

    /**
     * One outcome a lesson, in order. What is taught recommends the lesson's answer and nothing else, and has the form that the sample's
     * modality asks for.
     */
    List<Taught> teach(List<Lesson> lessons);

    @Override
    void close();
}
