package dev.prpf.eval.ablate;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.eval.compare.SystemScores;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
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
        List<Metrics> runs = system.runs().stream()
                .map(run -> group.apply(run.scores()))
                .filter(Objects::nonNull)
                .toList();
        if (runs.isEmpty()) {
            return null;
        }
        Map<Metric, @Nullable Double> values = new EnumMap<>(Metric.class);
        Map<Metric, MeanStd> overSeeds = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            List<@Nullable Double> each = new ArrayList<>();
            runs.forEach(run -> each.add(run.get(metric)));
            overSeeds.put(metric, MeanStd.of(each));
            values.put(metric, MeanStd.of(each).mean());
        }
        double malformed = runs.stream().mapToInt(Metrics::malformed).average().orElseThrow();
        Metrics first = runs.get(0);
        return system.overSeeds()
                ? new AblationCell(first.n(), malformed, values, null, Collections.unmodifiableMap(overSeeds))
                : new AblationCell(first.n(), malformed, values, first.intervals(), null);
    }

    /** Returns a metric in percent; null if it does not exist. */
    public @Nullable Double get(Metric metric) {
        return values.get(metric);
    }
}
