package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.Means;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a set of samples; in JSON counts come first.
 *
 * @param n number of samples
 * @param silent number of samples with silence as the only answer
 * @param silentMatched number of samples with silence as best-matched answer
 * @param malformed number of malformed responses
 * @param abstained number of samples that the judge abstained on, which SR excludes; in JSON only if above 0
 * @param values all metrics in percent; null for a metric without samples
 * @param intervals intervals of all metrics; null if missing
 */
public record Metrics(
        int n,
        @JsonProperty("n_silent") int silent,
        @JsonProperty("n_silent_matched") int silentMatched,
        int malformed,
        @JsonProperty("n_abstained") @JsonInclude(JsonInclude.Include.NON_DEFAULT) int abstained,
        @JsonAnyGetter Map<Metric, @Nullable Double> values,
        @JsonIgnore Map<Metric, @Nullable Interval> intervals) {
    /** Returns the metrics of at least one sample. */
    static Metrics of(List<SampleScore> scores, Bootstrap bootstrap) {
        List<Metric> metrics = List.of(Metric.values());
        long[] sources = scores.stream().mapToLong(SampleScore::source).toArray();
        Means means = Means.of(sources, i -> metrics.stream()
                .mapToDouble(metric -> metric.percent(scores.get(i)))
                .toArray());
        List<@Nullable Interval> drawn = bootstrap.ofShares(means);
        Map<Metric, @Nullable Double> values = new EnumMap<>(Metric.class);
        Map<Metric, @Nullable Interval> intervals = new EnumMap<>(Metric.class);
        for (int i = 0; i < drawn.size(); i++) {
            values.put(metrics.get(i), metrics.get(i).mean(scores));
            intervals.put(metrics.get(i), drawn.get(i));
        }
        return new Metrics(
                scores.size(),
                count(scores, Metric.FTR::counts),
                count(scores, Metric.FTR_MATCHED::counts),
                count(scores, SampleScore::malformed),
                count(scores, SampleScore::abstained),
                Collections.unmodifiableMap(values),
                Collections.unmodifiableMap(intervals));
    }

    private static int count(List<SampleScore> scores, Predicate<SampleScore> which) {
        return (int) scores.stream().filter(which).count();
    }

    /** Returns a metric in percent, or null if missing. */
    public @Nullable Double get(Metric metric) {
        return values.get(metric);
    }

    /** Returns the number of samples that a metric counts. */
    public int denominator(Metric metric) {
        return switch (metric) {
            case TYPE_ACC, PRECISION, RECALL, F1 -> n;
            case SR -> n - abstained;
            case SR_ACT -> n - silent - abstained; // only answers with calls are judged
            case NAMES_ACT -> n - silent;
            case FTR -> silent;
            case FTR_MATCHED -> silentMatched;
        };
    }
}
