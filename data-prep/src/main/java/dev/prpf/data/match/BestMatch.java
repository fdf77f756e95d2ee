package dev.prpf.data.match;

import dev.prpf.data.FunctionCall;
import java.io.Serializable;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The valid answer a prediction is measured against, S* of PRPF Appendix B.3: the one whose name sequence the prediction hits exactly,
 * else the one with the highest name-set F1; ties go to an answer that acts, then to the first. A malformed prediction hits nothing and
 * overlaps with nothing, so it is measured against the first answer that acts, or against silence where none does.
 *
 * @param answer the answer's name sequence; empty is silence
 * @param exact whether the predicted name sequence equals it (PRPF eq. 28)
 * @param overlap of the name sets
 */
public record BestMatch(List<String> answer, boolean exact, NameOverlap overlap) implements Serializable {
    public BestMatch {
        answer = List.copyOf(answer);
    }

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
     * The best match of ProactiveMobile's own protocol (its §4.2.2): an answer that is functionally equivalent, else the one with the
     * highest name-set F1, whatever the order of the names; ties as {@link #of}'s. Of several equivalent answers the paper draws one; this
     * takes the first.
     *
     * @param predicted the predicted names in order, empty for silence, null for a malformed response
     * @param answers at least one call sequence
     * @param equivalent whether the i-th answer was found equivalent
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
     * The valid answers that match equally well, in their order; the first is {@link #of}'s. Their names may be equal and their parameters
     * differ.
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

    /** S(y): the function names of a call sequence, in order. */
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
}
