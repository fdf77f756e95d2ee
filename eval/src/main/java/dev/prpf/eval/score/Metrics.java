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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a set of samples; as JSON the contract's object, counts first.
 *
 * @param n samples
 * @param silent samples whose every answer is silence
 * @param silentMatched samples whose best-matched answer is silence
 * @param malformed responses that could not be read
 * @param abstained samples that the judge abstained on, which SR leaves out; as JSON only where there are any
 * @param values of all metrics, in percent; null for one over no samples
 * @param intervals of all metrics; null for one that does not exist
 */
public record Metrics(
        int n,
        @JsonProperty("n_silent") int silent,
        @JsonProperty("n_silent_matched") int silentMatched,
        int malformed,
        @JsonProperty("n_abstained") @JsonInclude(JsonInclude.Include.NON_DEFAULT) int abstained,
        @JsonAnyGetter Map<Metric, @Nullable Double> values,
        @JsonIgnore Map<Metric, @Nullable Interval> intervals) {
    /** Of at least one sample. */
    static Metrics of(List<SampleScore> scores, Bootstrap bootstrap) {
        List<Metric> metrics = List.of(Metric.values());
        long[] sources = scores.stream().mapToLong(SampleScore::source).toArray();
        Means means = Means.of(sources, i -> metrics.stream()
                .mapToDouble(metric -> metric.percent(scores.get(i)))
                .toArray());
        List<@Nullable Interval> drawn = bootstrap.ofMeans(means, UnaryOperator.identity());
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

    /** The metric in percent, or null where it does not exist. */
    public @Nullable Double get(Metric metric) {
        return values.get(metric);
    }

    /** How many samples a metric is over. */
    public int denominator(Metric metric) {
        return switch (metric) {
            case TYPE_ACC, PRECISION, RECALL, F1 -> n;
            case SR -> n - abstained;
            case SR_ACT -> n - silent - abstained; // a judge is asked where an answer acts alone
            case FTR -> silent;
            case FTR_MATCHED -> silentMatched;
        };
    }
}
