package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The metrics that depend on the best-matched answer, by both papers' rules. They differ if answers have the same functions in
 * another order, or if a judge accepts other functions than an answer's.
 *
 * @param prpf exact name sequence, then name-set F1 (PRPF B.3); the rule of all other metrics
 * @param proactivemobile an equivalent answer, then name-set F1 (ProactiveMobile §4.2.2); its Type-Acc uses that answer only
 */
public record BestMatchRules(Matched prpf, @JsonProperty("proactivemobile") Matched proactivemobile) {
    private static final List<Metric> METRICS =
            List.of(Metric.TYPE_ACC, Metric.FTR_MATCHED, Metric.PRECISION, Metric.RECALL, Metric.F1);

    /**
     * The metrics by one rule.
     *
     * @param silentMatched number of samples with silence as best-matched answer
     * @param values in percent; null for a metric without samples
     */
    public record Matched(
            @JsonProperty("n_silent_matched") int silentMatched, @JsonAnyGetter Map<Metric, @Nullable Double> values) {
        private static Matched of(List<SampleScore> scores) {
            Map<Metric, @Nullable Double> values = new EnumMap<>(Metric.class);
            METRICS.forEach(metric -> values.put(metric, metric.mean(scores)));
            return new Matched(
                    (int) scores.stream().filter(Metric.FTR_MATCHED::counts).count(), values);
        }
    }

    static BestMatchRules of(List<SampleScore> scores) {
        return new BestMatchRules(
                Matched.of(scores),
                Matched.of(scores.stream().map(SampleScore::byProactiveMobile).toList()));
    }
}
