package dev.prpf.par.teacher;

import dev.prpf.par.response.ParResponse;

/** Writes the reasoning of a response that acts. */
public interface Teacher {
    /** Names the teacher and its version. */
    String id();

    /** The response: it recommends the lesson's answer and nothing else, and has the form that the sample's modality asks for. */
    ParResponse.Parsed teach(Lesson lesson);
}
