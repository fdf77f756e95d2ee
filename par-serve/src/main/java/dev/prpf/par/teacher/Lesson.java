package dev.prpf.par.teacher;

import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;

/**
 * What a teacher is given.
 *
 * @param sample whose moment it is
 * @param answer to be learned; it acts, and all its functions are candidates
 * @param candidates the functions that will stand in the prompt
 */
public record Lesson(Sample sample, Recommendation answer, CandidatePool candidates) {
    public Lesson {
        if (answer.isSilence()) {
            throw new IllegalArgumentException("sample " + sample.id() + ": silence needs no reasoning");
        }
    }
}
