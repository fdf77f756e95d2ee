package dev.prpf.eval.score;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import java.util.List;

/**
 * Says whether predictions do the same thing as valid answers (the equivalence of PRPF eq. 29). A judge sees only pairs of sequences that both
 * act: silence equals silence and nothing else, whoever judges.
 */
public interface Judge {
    /**
     * One question.
     *
     * @param sample the moment in which the calls would be made
     * @param predicted at least one call
     * @param answer a valid answer, at least one call
     */
    record Case(Sample sample, List<FunctionCall> predicted, List<FunctionCall> answer) {}

    /**
     * One answer.
     *
     * @param equivalent whether the two sequences are functionally equivalent; false where the judge abstained
     * @param reason in words, for people
     * @param abstained whether the judge came to no decision
     */
    record Verdict(boolean equivalent, String reason, boolean abstained) {
        public Verdict {
            if (equivalent && abstained) {
                throw new IllegalArgumentException("a judge that abstained has found nothing equivalent: " + reason);
            }
        }
    }

    /** The judge that commands use. */
    static Judge standard() {
        return new ExactJudge();
    }

    /** What this judge is, for reports and provenance. */
    String id();

    /** One verdict a case, in order. */
    List<Verdict> judge(List<Case> cases);
}
