package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.prpf.data.Modality;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the errors are (PRPF Appendix C).
 *
 * @param categories Table 11: Type-Acc errors by category; they add up to all Type-Acc errors
 * @param patterns Table 12: the non-empty mismatches by pattern
 * @param outcomes after Figure 4: the samples of each modality ("text", "multimodal") by outcome under SR scoring
 * @param paths Table 13: Type-Acc by modality and gate decision
 */
@JsonPropertyOrder("type_acc_errors")
public record ErrorAnalysis(
        Map<ErrorCategory, Integer> categories,
        @JsonProperty("non_empty_mismatch") Map<MismatchPattern, Integer> patterns,
        Map<String, Map<Outcome, Integer>> outcomes,
        @JsonIgnore List<GatePath> paths) {
    public ErrorAnalysis {
        categories = Collections.unmodifiableMap(new EnumMap<>(categories));
        patterns = Collections.unmodifiableMap(new EnumMap<>(patterns));
        outcomes = Collections.unmodifiableMap(new LinkedHashMap<>(outcomes));
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
        Map<String, Map<Outcome, Integer>> outcomes = new LinkedHashMap<>();
        List<GatePath> paths = new ArrayList<>();
        for (Modality modality : Modality.values()) {
            List<SampleScore> some = scores.stream()
                    .filter(score -> score.modality() == modality)
                    .toList();
            paths.add(path(modality, true, some));
            paths.add(path(modality, false, some));
            if (!some.isEmpty()) {
                Map<Outcome, Integer> counts = zeros(Outcome.class);
                some.forEach(score -> counts.merge(Outcome.of(score), 1, Integer::sum));
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

    private static GatePath path(Modality modality, boolean gated, List<SampleScore> scores) {
        List<SampleScore> some =
                scores.stream().filter(score -> score.gated() == gated).toList();
        return new GatePath(modality, gated, some.size(), Metric.TYPE_ACC.mean(some));
    }

    private static <E extends Enum<E>> Map<E, Integer> zeros(Class<E> type) {
        Map<E, Integer> counts = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            counts.put(constant, 0);
        }
        return counts;
    }

    @JsonProperty("type_acc_errors")
    public int errors() {
        return categories.values().stream().mapToInt(Integer::intValue).sum();
    }
}
