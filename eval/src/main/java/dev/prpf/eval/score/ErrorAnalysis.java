package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.prpf.data.Sample.Modality;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts a system's errors by category, pattern and outcome (PRPF Appendix C).
 *
 * @param categories Table 11: Type-Acc errors by category; they sum to all Type-Acc errors
 * @param patterns Table 12: the non-empty mismatches by pattern
 * @param outcomes as in Figure 4: the samples of each modality ("text", "multimodal") by outcome under SR scoring
 * @param gatePaths Table 13: Type-Acc by modality, then "gated" (g = 0) and "reasoned" (g = 1)
 */
@JsonPropertyOrder({"type_acc_errors", "well_formed_errors"})
public record ErrorAnalysis(
        Map<ErrorCategory, Integer> categories,
        @JsonProperty("non_empty_mismatch") Map<MismatchPattern, Integer> patterns,
        Map<String, Map<Outcome, Integer>> outcomes,
        Map<String, Map<String, GatePath>> gatePaths) {
    /** Key of the samples for which the gate stayed silent. */
    public static final String GATED = "gated";

    /**
     * The accuracy of samples of one modality with one gate decision, a cell of Table 13.
     *
     * @param n number of samples
     * @param typeAcc in percent, null when n is 0
     */
    public record GatePath(int n, @Nullable Double typeAcc) {}

    public static ErrorAnalysis of(List<SampleScore> scores) {
        Map<ErrorCategory, Integer> categories = zeros(ErrorCategory.class);
        Map<MismatchPattern, Integer> patterns = zeros(MismatchPattern.class);
        Map<String, Map<Outcome, Integer>> outcomes = new LinkedHashMap<>();
        Map<String, Map<String, GatePath>> paths = new LinkedHashMap<>();
        for (Modality modality : Modality.values()) {
            List<SampleScore> selected = scores.stream()
                    .filter(score -> score.modality() == modality)
                    .toList();
            Map<String, GatePath> decisions = new LinkedHashMap<>();
            decisions.put(GATED, path(true, selected));
            decisions.put("reasoned", path(false, selected));
            paths.put(modality.label(), decisions);
            if (!selected.isEmpty()) {
                Map<Outcome, Integer> counts = zeros(Outcome.class);
                selected.forEach(score -> counts.merge(Outcome.of(score), 1, Integer::sum));
                outcomes.put(modality.label(), counts);
            }
        }
        for (SampleScore score : scores) {
            ErrorCategory category = ErrorCategory.of(score);
            if (category != null) {
                categories.merge(category, 1, Integer::sum);
            }
            List<String> predicted = score.predicted();
            if (category == ErrorCategory.NON_EMPTY_MISMATCH && predicted != null) {
                patterns.merge(MismatchPattern.of(predicted, score.match().answer()), 1, Integer::sum);
            }
        }
        return new ErrorAnalysis(categories, patterns, outcomes, paths);
    }

    private static GatePath path(boolean gated, List<SampleScore> scores) {
        List<SampleScore> selected =
                scores.stream().filter(score -> score.gated() == gated).toList();
        return new GatePath(selected.size(), Metric.TYPE_ACC.mean(selected));
    }

    private static <E extends Enum<E>> Map<E, Integer> zeros(Class<E> type) {
        Map<E, Integer> counts = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            counts.put(constant, 0);
        }
        return counts;
    }

    /** Returns the number of errors of well-formed responses, the denominator of Table 11's shares (1,640 of its 1,647). */
    @JsonProperty("well_formed_errors")
    public int wellFormed() {
        return errors() - categories.getOrDefault(ErrorCategory.PARSE_FAILURE, 0);
    }

    /** Returns a category's share of {@link #wellFormed()} in percent; null without any and, as in PRPF, for parse failures. */
    public @Nullable Double share(ErrorCategory category) {
        return category == ErrorCategory.PARSE_FAILURE || wellFormed() == 0
                ? null
                : (Double) (100.0 * categories.getOrDefault(category, 0) / wellFormed());
    }

    @JsonProperty("type_acc_errors")
    public int errors() {
        return categories.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The categories of Type-Acc errors (PRPF Table 11). */
    public enum ErrorCategory implements Labelled {
        /** The prediction has calls that differ from the best-matched answer. */
        NON_EMPTY_MISMATCH("Non-empty mismatch"),
        /** The gate triggered and the reasoner stayed silent, but the best-matched answer has calls. */
        POST_GATE_ABSTENTION("Post-gate abstention"),
        /** The gate stayed silent, but the best-matched answer has calls. */
        GATE_MISFIRE("Gate misfire"),
        /** The response is malformed. */
        PARSE_FAILURE("Parse failure");

        private final String label;

        ErrorCategory(String label) {
            this.label = label;
        }

        @Override
        public String label() {
            return label;
        }

        /** Returns the category, or null if the predicted names equal a valid answer's. */
        public static @Nullable ErrorCategory of(SampleScore score) {
            if (score.malformed()) {
                return PARSE_FAILURE;
            }
            if (score.match().exact()) {
                return null;
            }
            if (score.acts()) {
                return NON_EMPTY_MISMATCH;
            }
            return score.gated() ? GATE_MISFIRE : POST_GATE_ABSTENTION;
        }
    }

    /** The patterns of non-empty mismatches, by sets of function names (PRPF Table 12). */
    public enum MismatchPattern implements Labelled {
        OFF_SCENE("Off-scene (no name in common)"),
        SPURIOUS("Spurious (silence was right)"),
        MISSED_STEPS("Missed steps (a proper subset)"),
        EXTRA_STEPS("Extra steps (a proper superset)"),
        REORDERING("Reordering (same set, other order or count)"),
        PARTIAL_OVERLAP("Partial overlap");

        private final String label;

        MismatchPattern(String label) {
            this.label = label;
        }

        @Override
        public String label() {
            return label;
        }

        /**
         * Returns the pattern of two unequal name sequences.
         *
         * @param predicted not empty
         * @param answer empty for silence
         */
        public static MismatchPattern of(List<String> predicted, List<String> answer) {
            if (answer.isEmpty()) {
                return SPURIOUS;
            }
            Set<String> predictedSet = new HashSet<>(predicted);
            Set<String> answerSet = new HashSet<>(answer);
            if (predictedSet.equals(answerSet)) {
                return REORDERING;
            }
            if (answerSet.containsAll(predictedSet)) {
                return MISSED_STEPS;
            }
            if (predictedSet.containsAll(answerSet)) {
                return EXTRA_STEPS;
            }
            predictedSet.retainAll(answerSet);
            return predictedSet.isEmpty() ? OFF_SCENE : PARTIAL_OVERLAP;
        }
    }

    /** The outcome of a prediction under SR scoring (as in PRPF Figure 4); every sample has exactly one. */
    public enum Outcome implements Labelled {
        SUCCESS,
        /** Silence although the best-matched answer has calls. */
        REFUSAL,
        /** Calls of other functions than in the best-matched answer. */
        FUNCTION_ERROR,
        /** Calls of the right functions in order, but not equivalent. */
        ARGUMENT_ERROR,
        /** Calls although silence is right. */
        FALSE_TRIGGER,
        /** The response is malformed. */
        MALFORMED,
        /** The judge abstained on the sample. */
        UNJUDGED;

        public static Outcome of(SampleScore score) {
            if (score.success()) {
                return SUCCESS;
            }
            if (score.abstained()) {
                return UNJUDGED;
            }
            if (score.malformed()) {
                return MALFORMED;
            }
            if (!score.acts()) {
                return REFUSAL;
            }
            if (score.match().isSilence()) {
                return FALSE_TRIGGER;
            }
            return score.match().exact() ? ARGUMENT_ERROR : FUNCTION_ERROR;
        }
    }
}
