package dev.prpf.eval.score;

import dev.prpf.data.Modality;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where the errors are (PRPF Appendix C).
 *
 * @param n samples
 * @param categories Table 11: Type-Acc errors by category; they add up to all Type-Acc errors
 * @param patterns Table 12: the non-empty mismatches by pattern
 * @param outcomes after Figure 4: every sample of a modality by outcome under SR scoring
 * @param paths Table 13: Type-Acc by modality and gate decision
 */
public record ErrorAnalysis(
        int n,
        Map<ErrorCategory, Integer> categories,
        Map<MismatchPattern, Integer> patterns,
        Map<Modality, Map<Outcome, Integer>> outcomes,
        List<GatePath> paths) {
    public ErrorAnalysis {
        categories = Collections.unmodifiableMap(new EnumMap<>(categories));
        patterns = Collections.unmodifiableMap(new EnumMap<>(patterns));
        outcomes = Collections.unmodifiableMap(new EnumMap<>(outcomes));
        paths = List.copyOf(paths);
    }

    /**
     * One cell of Table 13.
     *
     * @param modality text or multimodal
     * @param gated whether the gate kept the samples from the reasoner (g = 0)
     * @param n samples
     * @param typeAcc in percent, null when n is 0
     */
    public record GatePath(Modality modality, boolean gated, int n, @Nullable Double typeAcc) {}

    public static ErrorAnalysis of(List<SampleScore> scores) {
        Map<ErrorCategory, Integer> categories = zeros(ErrorCategory.class);
        Map<MismatchPattern, Integer> patterns = zeros(MismatchPattern.class);
        Map<Modality, Map<Outcome, Integer>> outcomes = new EnumMap<>(Modality.class);
        for (SampleScore score : scores) {
            ErrorCategory category = ErrorCategory.of(score);
            if (category != null) {
                categories.merge(category, 1, Integer::sum);
            }
            List<String> predicted = score.predicted();
            if (category == ErrorCategory.NON_EMPTY_MISMATCH && predicted != null) {
                patterns.merge(MismatchPattern.of(predicted, score.match().answer()), 1, Integer::sum);
            }
            outcomes.computeIfAbsent(score.modality(), unseen -> zeros(Outcome.class))
                    .merge(Outcome.of(score), 1, Integer::sum);
        }
        return new ErrorAnalysis(scores.size(), categories, patterns, outcomes, paths(scores));
    }

    /** All Type-Acc errors. */
    public int errors() {
        return categories.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static List<GatePath> paths(List<SampleScore> scores) {
        List<GatePath> paths = new ArrayList<>();
        for (Modality modality : Modality.values()) {
            for (boolean gated : new boolean[] {true, false}) {
                Predicate<SampleScore> here = score -> score.modality() == modality && score.gated() == gated;
                Metrics metrics = Metrics.of(scores.stream().filter(here).toList());
                paths.add(new GatePath(modality, gated, metrics.n(), metrics.get(Figure.TYPE_ACC)));
            }
        }
        return paths;
    }

    private static <E extends Enum<E>> Map<E, Integer> zeros(Class<E> type) {
        Map<E, Integer> counts = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            counts.put(constant, 0);
        }
        return counts;
    }

    /** Counts by key. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("type_acc_errors", errors());
        Map<String, Object> categoryCounts = new LinkedHashMap<>();
        categories.forEach((category, count) -> categoryCounts.put(category.key(), count));
        json.put("categories", categoryCounts);
        Map<String, Object> patternCounts = new LinkedHashMap<>();
        patterns.forEach((pattern, count) -> patternCounts.put(pattern.key(), count));
        json.put("non_empty_mismatch", patternCounts);
        Map<String, Object> outcomeCounts = new LinkedHashMap<>();
        outcomes.forEach((modality, counts) -> {
            Map<String, Object> inner = new LinkedHashMap<>();
            counts.forEach((outcome, count) -> inner.put(outcome.key(), count));
            outcomeCounts.put(modality.label(), inner);
        });
        json.put("outcomes", outcomeCounts);
        return json;
    }
}
