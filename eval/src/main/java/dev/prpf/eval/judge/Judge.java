package dev.prpf.eval.judge;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.openai.RemoteUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether predictions do the same as valid answers (the equivalence of PRPF eq. 29). A judge sees only pairs of sequences that both act:
 * silence equals only silence, for every judge.
 */
public interface Judge extends AutoCloseable {
    /**
     * One pair to decide on.
     *
     * @param sample the sample in which the calls would be made
     * @param pool defines functions and parameters; a called function may be missing from it
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

        /** Returns whether the judge made no decision. */
        public boolean abstained() {
            return equivalent == null;
        }
    }

    /** Returns the judge that commands use by default. */
    static Judge standard() {
        return new ExactJudge();
    }

    /** Names the judge and its settings, for reports and provenance. */
    String id();

    /**
     * Returns one verdict for each case, in order.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if the judge cannot be reached, 75 when stopped
     */
    List<Verdict> judge(List<Case> cases);

    /** Returns the model's token usage, earlier processes included; null if the judge is not a model. */
    default @Nullable RemoteUsage usage() {
        return null;
    }

    @Override
    default void close() {}
}
