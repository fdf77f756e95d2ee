package dev.prpf.data;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The valid answer that a prediction is scored against, S* of PRPF Appendix B.3. It has the same name sequence, else the highest
 * name-set F1. Ties go to an answer with calls, then to the first. A malformed prediction matches nothing, so it is scored
 * against the first answer with calls, or else silence.
 *
 * @param answer the answer's name sequence; empty is silence
 * @param exact whether the predicted name sequence is equal (PRPF eq. 28)
 * @param overlap the overlap of the name sets
 */
public record BestMatch(List<String> answer, boolean exact, NameOverlap overlap) implements Serializable {
    /**
     * Chooses among the valid answers.
     *
     * @param predicted the predicted names in order, empty for silence, null for a malformed response
     * @param answers at least one call sequence
     */
    public static BestMatch of(@Nullable List<String> predicted, List<List<FunctionCall>> answers) {
        return answers.stream()
                .map(calls -> against(predicted, names(calls)))
                .reduce((best, next) -> next.isBetterThan(best) ? next : best)
                .orElseThrow(BestMatch::noAnswer);
    }

    private static IllegalArgumentException noAnswer() {
        return new IllegalArgumentException("no valid answer to match with; silence is one empty sequence");
    }

    /**
     * Returns the best match of ProactiveMobile's protocol (its §4.2.2): a functionally equivalent answer, else the one with the
     * highest name-set F1. Ties are broken as in {@link #of}. The paper draws one of several equivalent answers; this takes the
     * first.
     *
     * @param predicted the predicted names in order, empty for silence, null for a malformed response
     * @param answers at least one call sequence
     * @param equivalent whether the i-th answer is equivalent
     */
    public static BestMatch equivalentFirst(
            @Nullable List<String> predicted, List<List<FunctionCall>> answers, IntPredicate equivalent) {
        List<BestMatch> all =
                answers.stream().map(calls -> against(predicted, names(calls))).toList();
        return IntStream.range(0, all.size())
                .filter(equivalent)
                .mapToObj(all::get)
                .findFirst()
                .or(() -> all.stream().reduce((best, next) -> next.overlapsBetterThan(best) ? next : best))
                .orElseThrow(BestMatch::noAnswer);
    }

    /**
     * Returns the valid answers that match equally well, in order; the first is {@link #of}'s. Their parameters may differ.
     *
     * @param predicted the predicted names in order, empty for silence, null for a malformed response
     * @param answers at least one call sequence
     */
    public static List<List<FunctionCall>> ties(@Nullable List<String> predicted, List<List<FunctionCall>> answers) {
        BestMatch best = of(predicted, answers);
        return answers.stream()
                .filter(calls -> !best.isBetterThan(against(predicted, names(calls))))
                .toList();
    }

    /** Returns S(y), the function names of a call sequence in order. */
    public static List<String> names(List<FunctionCall> calls) {
        return calls.stream().map(FunctionCall::name).toList();
    }

    public boolean isSilence() {
        return answer.isEmpty();
    }

    private static BestMatch against(@Nullable List<String> predicted, List<String> answer) {
        if (predicted == null) {
            return new BestMatch(answer, false, NameOverlap.ZERO);
        }
        return new BestMatch(answer, predicted.equals(answer), NameOverlap.of(predicted, answer));
    }

    private boolean isBetterThan(BestMatch other) {
        return exact == other.exact ? overlapsBetterThan(other) : exact;
    }

    private boolean overlapsBetterThan(BestMatch other) {
        int byF1 = Double.compare(overlap.f1(), other.overlap.f1());
        return byF1 > 0 || (byF1 == 0 && !isSilence() && other.isSilence());
    }

    /**
     * The overlap of two sets of function names (PRPF Appendix B.3): P = |predicted and gold| / |predicted|, R = |predicted and gold|
     * / |gold|, F1 their harmonic mean. Two empty sets give 1, one empty set gives 0.
     *
     * @param precision in [0, 1]
     * @param recall in [0, 1]
     * @param f1 in [0, 1]
     */
    public record NameOverlap(double precision, double recall, double f1) implements Serializable {
        /** The overlap of a malformed response. */
        public static final NameOverlap ZERO = new NameOverlap(0, 0, 0);

        private static final NameOverlap ONE = new NameOverlap(1, 1, 1);

        /** Returns the overlap of two name sequences as sets. */
        public static NameOverlap of(List<String> predicted, List<String> gold) {
            Set<String> predictedSet = new HashSet<>(predicted);
            Set<String> goldSet = new HashSet<>(gold);
            if (predictedSet.isEmpty() && goldSet.isEmpty()) {
                return ONE;
            }
            Set<String> both = new HashSet<>(predictedSet);
            both.retainAll(goldSet);
            if (both.isEmpty()) {
                return ZERO;
            }
            double precision = (double) both.size() / predictedSet.size();
            double recall = (double) both.size() / goldSet.size();
            // From counts, because F1 of P and R may differ in the last bit, and ties need equality.
            return new NameOverlap(precision, recall, 2.0 * both.size() / (predictedSet.size() + goldSet.size()));
        }
    }
}
