package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a system did on a gold set.
 *
 * @param judge the id of the judge of functional equivalence
 * @param bootstrap how the intervals were made
 * @param overall over all samples
 * @param byModality by "text", "multimodal"; only those that occur
 * @param byDifficulty by "1", "2", "3"; only those that occur
 * @param byScenario by scenario name, in catalogue order, then "none"; empty without a catalogue
 * @param samples one a sample, in the gold set's order
 */
public record Scores(
        String judge,
        Bootstrap bootstrap,
        Group overall,
        Map<String, Group> byModality,
        Map<String, Group> byDifficulty,
        Map<String, Group> byScenario,
        List<SampleScore> samples) {
    public Scores {
        byModality = Collections.unmodifiableMap(new LinkedHashMap<>(byModality));
        byDifficulty = Collections.unmodifiableMap(new LinkedHashMap<>(byDifficulty));
        byScenario = Collections.unmodifiableMap(new LinkedHashMap<>(byScenario));
        samples = List.copyOf(samples);
    }

    /**
     * The metrics of some of the samples.
     *
     * @param metrics point estimates
     * @param intervals of all metrics; null for one that does not exist
     */
    public record Group(Metrics metrics, Map<Metric, @Nullable Interval> intervals) {
        public Group {
            intervals = Collections.unmodifiableMap(new EnumMap<>(intervals));
        }

        /** Of at least one sample. */
        static Group of(List<SampleScore> scores, Bootstrap bootstrap) {
            Metric[] metrics = Metric.values();
            double[][] values =
                    new double[metrics.length][scores.size()]; // NaN where the metric does not count the sample
            for (int m = 0; m < metrics.length; m++) {
                for (int i = 0; i < scores.size(); i++) {
                    SampleScore score = scores.get(i);
                    values[m][i] = metrics[m].counts(score) ? metrics[m].value(score) : Double.NaN;
                }
            }
            List<@Nullable Interval> drawn = bootstrap.ofSamples(scores.size(), times -> {
                double[] means = new double[metrics.length];
                for (int m = 0; m < metrics.length; m++) {
                    means[m] = percent(values[m], times);
                }
                return means;
            });
            Map<Metric, @Nullable Interval> intervals = new EnumMap<>(Metric.class);
            for (int m = 0; m < metrics.length; m++) {
                intervals.put(metrics[m], drawn.get(m));
            }
            return new Group(Metrics.of(scores), intervals);
        }

        /** The mean of the values that are not NaN, the i-th counted times[i] times, in percent; NaN if there are none. */
        private static double percent(double[] values, int[] times) {
            double sum = 0;
            int count = 0;
            for (int i = 0; i < values.length; i++) {
                if (!Double.isNaN(values[i])) {
                    sum += times[i] * values[i];
                    count += times[i];
                }
            }
            return 100 * sum / count;
        }
    }

    /** What {@code eval score --json} prints. */
    public record Summary(
            Metrics overall,
            Map<String, Metrics> byModality,
            Map<String, Metrics> byDifficulty,
            Map<String, Metrics> byScenario,
            String judge,
            Intervals ci,
            ErrorAnalysis errors) {}

    /** The intervals of a {@link Summary}. */
    public record Intervals(
            double level,
            int resamples,
            long seed,
            Map<Metric, @Nullable Interval> overall,
            Map<String, Map<Metric, @Nullable Interval>> byModality,
            Map<String, Map<Metric, @Nullable Interval>> byDifficulty,
            Map<String, Map<Metric, @Nullable Interval>> byScenario) {}

    public Summary summary() {
        Intervals intervals = new Intervals(
                bootstrap.level(),
                bootstrap.resamples(),
                bootstrap.seed(),
                overall.intervals(),
                of(byModality, Group::intervals),
                of(byDifficulty, Group::intervals),
                of(byScenario, Group::intervals));
        return new Summary(
                overall.metrics(),
                of(byModality, Group::metrics),
                of(byDifficulty, Group::metrics),
                of(byScenario, Group::metrics),
                judge,
                intervals,
                ErrorAnalysis.of(samples));
    }

    private static <V> Map<String, V> of(Map<String, Group> groups, Function<Group, V> part) {
        Map<String, V> parts = new LinkedHashMap<>();
        groups.forEach((name, group) -> parts.put(name, part.apply(group)));
        return parts;
    }
}
