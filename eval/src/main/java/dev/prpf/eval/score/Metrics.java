package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collection;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a set of samples; as JSON the contract's object, counts first.
 *
 * @param n samples
 * @param silent samples whose every answer is silence
 * @param silentMatched samples whose best-matched answer is silence
 * @param malformed responses that could not be read
 * @param values of all metrics, in percent; null for one over no samples
 */
public record Metrics(
        int n,
        @JsonProperty("n_silent") int silent,
        @JsonProperty("n_silent_matched") int silentMatched,
        int malformed,
        @JsonAnyGetter Map<Metric, @Nullable Double> values) {
    public Metrics {
        values = Collections.unmodifiableMap(new EnumMap<>(values));
    }

    public static Metrics of(Collection<SampleScore> scores) {
        Map<Metric, @Nullable Double> values = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            DoubleSummaryStatistics counted = scores.stream()
                    .filter(metric::counts)
                    .mapToDouble(metric::value)
                    .summaryStatistics();
            values.put(metric, counted.getCount() == 0 ? null : (Double) (100 * counted.getSum() / counted.getCount()));
        }
        return new Metrics(
                scores.size(),
                (int) scores.stream().filter(Metric.FTR::counts).count(),
                (int) scores.stream().filter(Metric.FTR_MATCHED::counts).count(),
                (int) scores.stream().filter(SampleScore::malformed).count(),
                values);
    }

    /** The metric in percent, or null where it does not exist. */
    public @Nullable Double get(Metric metric) {
        return values.get(metric);
    }

    /** How many samples a metric is over. */
    public int denominator(Metric metric) {
        return switch (metric) {
            case TYPE_ACC, SR, PRECISION, RECALL, F1 -> n;
            case SR_ACT -> n - silent;
            case FTR -> silent;
            case FTR_MATCHED -> silentMatched;
        };
    }
}
