package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.score.Scorer.ClusterBy;
import dev.prpf.mpp.gate.ConfusionMatrix;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * The scores of a system on a gold set, printed by {@code eval score --json}.
 *
 * @param overall metrics of all samples
 * @param byModality by "text", "multimodal"; only those that occur
 * @param byDifficulty by "1", "2", "3"; only those that occur
 * @param byScenario by scenario name, in catalogue order, then "none"; empty without a catalogue
 * @param byDifficultyAndModality by difficulty, then modality (PRPF Table 9); only those that occur
 * @param byDistribution "in" and "out": scenarios seen and not seen in training; empty without a catalogue
 * @param scenarios errors by scenario; empty without a catalogue
 * @param judge the id of the judge of functional equivalence
 * @param bootstrap the settings of the intervals
 * @param clusterBy the unit of the draws
 * @param samples one score per sample, in the gold set's order
 */
@JsonPropertyOrder({
    "overall",
    "by_modality",
    "by_difficulty",
    "by_scenario",
    "by_difficulty_and_modality",
    "by_distribution",
    "text_minus_multimodal",
    "scenarios",
    "best_match",
    "gate",
    "judge",
    "verdicts",
    "ci",
    "errors"
})
public record Scores(
        Metrics overall,
        Map<String, Metrics> byModality,
        Map<String, Metrics> byDifficulty,
        Map<String, Metrics> byScenario,
        Map<String, Map<String, Metrics>> byDifficultyAndModality,
        Map<String, Metrics> byDistribution,
        ScenarioAnalysis scenarios,
        String judge,
        @JsonIgnore Bootstrap bootstrap,
        @JsonIgnore ClusterBy clusterBy,
        @JsonIgnore List<SampleScore> samples) {
    /** The intervals of all metrics by group, and the number of independent units. */
    record Intervals(
            @JsonUnwrapped Bootstrap bootstrap,
            ClusterBy clusterBy,
            long units,
            Map<Metric, @Nullable Interval> overall,
            Map<String, Map<Metric, @Nullable Interval>> byModality,
            Map<String, Map<Metric, @Nullable Interval>> byDifficulty,
            Map<String, Map<Metric, @Nullable Interval>> byScenario,
            Map<String, Map<String, Map<Metric, @Nullable Interval>>> byDifficultyAndModality,
            Map<String, Map<Metric, @Nullable Interval>> byDistribution) {}

    @JsonProperty("ci")
    Intervals intervals() {
        Map<String, Map<String, Map<Metric, @Nullable Interval>>> cells = new LinkedHashMap<>();
        byDifficultyAndModality.forEach((level, modalities) -> cells.put(level, of(modalities)));
        return new Intervals(
                bootstrap,
                clusterBy,
                units(),
                overall.intervals(),
                of(byModality),
                of(byDifficulty),
                of(byScenario),
                cells,
                of(byDistribution));
    }

    private static Map<String, Map<Metric, @Nullable Interval>> of(Map<String, Metrics> groups) {
        Map<String, Map<Metric, @Nullable Interval>> intervals = new LinkedHashMap<>();
        groups.forEach((name, metrics) -> intervals.put(name, metrics.intervals()));
        return intervals;
    }

    /** Returns the number of sources, the units of the bootstrap. */
    @JsonIgnore
    public long units() {
        return samples.stream().mapToLong(SampleScore::source).distinct().count();
    }

    /** Returns the reason for missing intervals as a sentence, or null. */
    public @Nullable String withoutIntervals() {
        return units() > 1
                ? null
                : "All samples come from one source (--cluster-by " + clusterBy.key() + "), so there are no intervals.";
    }

    /** Returns each metric of text samples minus that of multimodal ones, in points; null if either is missing. */
    @JsonProperty("text_minus_multimodal")
    public Map<Metric, @Nullable Double> textMinusMultimodal() {
        Map<Metric, @Nullable Double> gaps = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            gaps.put(metric, ScenarioAnalysis.gap(metric, samples));
        }
        return gaps;
    }

    @JsonProperty("best_match")
    public BestMatchRules bestMatch() {
        return BestMatchRules.of(samples);
    }

    /** Returns the gate's metrics; null if no sample was gated, since there may be no gate. */
    @JsonProperty("gate")
    public @Nullable GateDecisions gate() {
        return samples.stream().anyMatch(SampleScore::gated) ? GateDecisions.of(samples) : null;
    }

    /**
     * The counts of the judge's verdicts.
     *
     * @param n number of judged samples: the prediction and a valid answer have calls
     * @param abstained number of samples that the judge abstained on, which SR excludes
     */
    public record VerdictCounts(int n, int abstained) {
        static VerdictCounts of(List<SampleScore> samples) {
            return new VerdictCounts(
                    (int) samples.stream().filter(SampleScore::judged).count(),
                    (int) samples.stream().filter(SampleScore::abstained).count());
        }
    }

    @JsonProperty("verdicts")
    public VerdictCounts verdictCounts() {
        return VerdictCounts.of(samples);
    }

    @JsonProperty("errors")
    public ErrorAnalysis errors() {
        return ErrorAnalysis.of(samples);
    }

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
                @JsonProperty("n_silent_matched") int silentMatched,
                @JsonAnyGetter Map<Metric, @Nullable Double> values) {
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
                    Matched.of(
                            scores.stream().map(SampleScore::byProactiveMobile).toList()));
        }
    }

    /**
     * The gate's metrics from the predictions' routes (PRPF Table 6, eq. 23-26 and 32), in percent; null without samples. Positive
     * means that help is due. A malformed perceiver answer counts as the wrong decision.
     *
     * @param accuracy eq. 24
     * @param recall eq. 23
     * @param specificity eq. 23
     * @param precision eq. 25
     * @param f1 eq. 26
     * @param correctFiltering share of silenced samples that want silence (81.89 in the paper)
     * @param routed r of eq. 32: share of all samples that reach the reasoner
     */
    public record GateDecisions(
            @JsonUnwrapped ConfusionMatrix counts,
            @Nullable Double accuracy,
            @Nullable Double recall,
            @Nullable Double specificity,
            @Nullable Double precision,
            @Nullable Double f1,
            @Nullable Double correctFiltering,
            @Nullable Double routed) {

        static GateDecisions of(List<SampleScore> scores) {
            ConfusionMatrix counts = ConfusionMatrix.of(
                    booleans(scores.stream().map(GateDecisions::triggered).toList()),
                    booleans(scores.stream().map(SampleScore::wantsIntervention).toList()));
            long routed = scores.stream().filter(score -> !score.gated()).count();
            return of(counts, scores.isEmpty() ? null : (Double) (100.0 * routed / scores.size()));
        }

        private static boolean triggered(SampleScore score) {
            boolean undecided = score.gated() && score.malformed();
            return undecided ? !score.wantsIntervention() : !score.gated();
        }

        /** Returns the metrics of a confusion matrix. */
        public static GateDecisions of(ConfusionMatrix counts) {
            return of(counts, counts.triggerRate());
        }

        private static GateDecisions of(ConfusionMatrix counts, @Nullable Double routed) {
            return new GateDecisions(
                    counts,
                    counts.accuracy(),
                    counts.recall(),
                    counts.specificity(),
                    counts.precision(),
                    counts.f1(),
                    counts.correctFiltering(),
                    routed);
        }

        private static boolean[] booleans(List<Boolean> values) {
            return ArrayUtils.toPrimitive(values.toArray(Boolean[]::new));
        }
    }
}
