package dev.prpf.eval.judge;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.openai.RemoteUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether predictions do the same as valid answers (the equivalence of PRPF eq. 29). A judge sees only pairs of sequences that both
 * act: silence equals silence and nothing else, whoever judges.
 */
public interface Judge extends AutoCloseable {
    /**
     * One pair to decide on.
     *
     * @param sample the moment in which the calls would be made
     * @param pool says what the functions and their parameters are; a function that is called need not stand in it
     * @param predicted at least one call
     * @param answer a valid answer, at least one call
     */
    record Case(Sample sample, FunctionPool pool, List<FunctionCall> predicted, List<FunctionCall> answer) {}

    /**
     * The decision on one pair.
     *
     * @param equivalent whether the two sequences are functionally equivalent; null where the judge abstained
     * @param reason in words, for people
     */
    record Verdict(@Nullable Boolean equivalent, String reason) {
        static Verdict abstention(String reason) {
            return new Verdict(null, reason);
        }

        /** Whether the judge came to no decision. */
        public boolean abstained() {
            return equivalent == null;
        }
    }

    /** The judge that commands use where none is named. */
    static Judge standard() {
        return new ExactJudge();
    }

    /** Names the judge and its settings, for reports and provenance. */
    String id();

    /**
     * One verdict a case, in order.
     *
     * @throws dev.prpf.base.error.PrpfException 69 where the judge cannot be reached, 75 when stopped
     */
    List<Verdict> judge(List<Case> cases);

    /** What the answers of a model used, those of earlier processes among them; null where no model judges. */
    default @Nullable RemoteUsage usage() {
        return null;
    }

    @Override
    default void close() {}
}
