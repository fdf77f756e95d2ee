package dev.prpf.eval.ablate;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.base.workflow.Stage;
import dev.prpf.eval.efficiency.EfficiencyTable;
import dev.prpf.eval.score.Comparison;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import dev.prpf.eval.score.SystemScores;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One system in a table.
 *
 * @param name of the system
 * @param overall metrics over all samples
 * @param byModality by "text" and "multimodal", if they occur
 * @param flopsMean operations a sample; null if not measured or unknown
 * @param latencyMeanS mean seconds of a sample; null if not measured or unknown
 * @param peakMemoryMb peak resident memory in 10⁶ bytes; null if not measured or unknown
 * @param runs of the system
 * @param comparison with its reference row; null without one
 */
record AblationRow(
        String name,
        @JsonUnwrapped AblationCell overall,
        Map<String, AblationCell> byModality,
        @Nullable Double flopsMean,
        @Nullable Double latencyMeanS,
        @Nullable Double peakMemoryMb,
        List<Source> runs,
        @Nullable Comparison comparison) {
    private static final List<String> MODALITIES = List.of("multimodal", "text");

    /** A set of predictions with its hash and the command line that made it. */
    public record Source(String predictions, String sha256, String command) {}

    /**
     * Makes the row of a system.
     *
     * @param evaluations of the system, in the order of its runs
     * @param costs of the measured runs
     */
    static AblationRow of(
            SystemScores system,
            List<AblationPlan.Evaluation> evaluations,
            List<EfficiencyTable.Row> costs,
            @Nullable Comparison comparison) {
        Map<String, AblationCell> modalities = new LinkedHashMap<>();
        for (String modality : MODALITIES) {
            AblationCell cell =
                    AblationCell.of(system, scores -> scores.byModality().get(modality));
            if (cell != null) {
                modalities.put(modality, cell);
            }
        }
        return new AblationRow(
                system.name(),
                Objects.requireNonNull(AblationCell.of(system, scores -> scores.overall())),
                modalities,
                mean(costs, EfficiencyTable.Row::flopsMean),
                mean(costs, EfficiencyTable.Row::latencyMeanS),
                mean(costs, EfficiencyTable.Row::peakMemoryMb),
                IntStream.range(0, evaluations.size())
                        .mapToObj(i -> new Source(
                                evaluations.get(i).predictions().toString(),
                                system.runs().get(i).sha256(),
                                Stage.typed(evaluations.get(i).command().words())))
                        .toList(),
                comparison);
    }

    /** Returns the mean; null without costs, or if one is unknown. */
    private static @Nullable Double mean(
            List<EfficiencyTable.Row> costs, Function<EfficiencyTable.Row, @Nullable Double> of) {
        List<Double> known = costs.stream().map(of).filter(Objects::nonNull).toList();
        return costs.isEmpty() || known.size() < costs.size()
                ? null
                : known.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** Returns the group of a published column: "all", "multimodal" or "text"; null if it has no sample. */
    @Nullable
    AblationCell cell(String group) {
        return group.equals("all") ? overall : byModality.get(group);
    }

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
}
