package dev.prpf.eval.ablate;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.eval.compare.SystemScores;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A system's metrics over a group of samples, in percent; over several seeds their means.
 *
 * @param n samples
 * @param malformed number of malformed responses
 * @param values by metric; null for one over no samples
 * @param intervals of one run, by bootstrap; null over several seeds
 * @param overSeeds mean and standard deviation over the runs; null for one run
 */
record AblationCell(
        int n,
        double malformed,
        @JsonAnyGetter Map<Metric, @Nullable Double> values,
        @JsonProperty("ci") @Nullable Map<Metric, @Nullable Interval> intervals,
        @Nullable Map<Metric, MeanStd> overSeeds) {
    /**
     * Computes the metrics of a system.
     *
     * @param group returns the metrics of a group of samples; null, in every run, for an empty group
     * @return null for an empty group
     */
    static @Nullable AblationCell of(SystemScores system, Function<Scores, @Nullable Metrics> group) {
        Metrics first = group.apply(system.first());
        if (first == null) {
            return null;
        }
        Map<Metric, MeanStd> statistics = system.statistics(group);
        Map<Metric, @Nullable Double> values = new EnumMap<>(Metric.class);
        statistics.forEach((metric, over) -> values.put(metric, over.mean()));
        double malformed = system.runs().stream()
                .map(run -> Objects.requireNonNull(group.apply(run.scores())))
                .mapToInt(Metrics::malformed)
                .average()
                .orElseThrow();
        return system.overSeeds()
                ? new AblationCell(first.n(), malformed, values, null, statistics)
                : new AblationCell(first.n(), malformed, values, first.intervals(), null);
    }

    /** Returns a metric in percent; null if it does not exist. */
    public @Nullable Double get(Metric metric) {
        return values.get(metric);
    }
}
