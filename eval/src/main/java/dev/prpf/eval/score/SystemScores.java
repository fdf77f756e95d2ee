package dev.prpf.eval.score;

import dev.prpf.base.statistics.MeanStd;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The scores of one system on a gold set, over one or more seeds.
 *
 * @param runs at least one; several are the same system trained or decoded with other seeds
 */
public record SystemScores(String name, List<ScoredRun> runs) {
    public SystemScores {
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("system " + name + " has no runs, at least one is needed");
        }
    }

    /**
     * One set of predictions, scored.
     *
     * @param files the predictions and their run
     * @param sha256 of the predictions
     * @param scores on the gold set
     */
    public record ScoredRun(RunFiles files, String sha256, Scores scores) {}

    public Scores first() {
        return runs.get(0).scores();
    }

    /** Returns whether there are runs over several seeds. */
    public boolean overSeeds() {
        return runs.size() > 1;
    }

    /**
     * Returns the mean and standard deviation of every metric over the runs.
     *
     * @param group returns the metrics of a group of samples; null, in every run, for an empty group
     */
    public Map<Metric, MeanStd> statistics(Function<Scores, @Nullable Metrics> group) {
        Map<Metric, MeanStd> statistics = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            List<@Nullable Double> values = new ArrayList<>();
            runs.forEach(run ->
                    values.add(Objects.requireNonNull(group.apply(run.scores())).get(metric)));
            statistics.put(metric, MeanStd.of(values));
        }
        return statistics;
    }

    /** Returns a run's name: the system's, with several seeds followed by its number from 1. */
    public String nameOf(int run) {
        return overSeeds() ? name + " #" + (run + 1) : name;
    }

    /**
     * Returns a metric for each sample, in percent, as the mean over runs; NaN where it does not count the sample.
     *
     * @param metric has the same denominator in every run
     */
    double[] percent(Metric metric) {
        return mean(metric::percent);
    }

    /** Returns 100 for each sample with a malformed response, else 0, as the mean over runs. */
    double[] malformed() {
        return mean(score -> score.malformed() ? 100 : 0);
    }

    private double[] mean(ToDoubleFunction<SampleScore> value) {
        double[] means = new double[first().samples().size()];
        for (ScoredRun run : runs) {
            for (int i = 0; i < means.length; i++) {
                means[i] += value.applyAsDouble(run.scores().samples().get(i)) / runs.size();
            }
        }
        return means;
    }
}
