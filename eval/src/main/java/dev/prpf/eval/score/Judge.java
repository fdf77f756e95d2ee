package dev.prpf.eval.score;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import java.util.List;

/**
 * Says whether a prediction does the same thing as a valid answer (the equivalence of PRPF eq. 29). Asked only about two sequences that
 * both act: silence equals silence and nothing else, whoever judges.
 */
public interface Judge {
    /** What this judge is, for reports and provenance. */
    String id();

    /**
     * Whether the two call sequences are functionally equivalent in the sample's situation.
     *
     * @param sample the moment
     * @param predicted at least one call
     * @param answer at least one call
     */
    boolean equivalent(Sample sample, List<FunctionCall> predicted, List<FunctionCall> answer);
}
