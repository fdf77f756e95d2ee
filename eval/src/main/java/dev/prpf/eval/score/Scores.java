package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a system did on a gold set; what {@code eval score --json} prints.
 *
 * @param overall over all samples
 * @param byModality by "text", "multimodal"; only those that occur
 * @param byDifficulty by "1", "2", "3"; only those that occur
 * @param byScenario by scenario name, in catalogue order, then "none"; empty without a catalogue
 * @param judge the id of the judge of functional equivalence
 * @param bootstrap how the intervals were made
 * @param samples one a sample, in the gold set's order
 */
@JsonPropertyOrder({"overall", "by_modality", "by_difficulty", "by_scenario", "judge", "verdicts", "ci", "errors"})
public record Scores(
        Metrics overall,
        Map<String, Metrics> byModality,
        Map<String, Metrics> byDifficulty,
        Map<String, Metrics> byScenario,
        String judge,
        @JsonIgnore Bootstrap bootstrap,
        @JsonIgnore List<SampleScore> samples) {
    /** The intervals of all metrics, in the groups of the metrics. */
    record Intervals(
            @JsonUnwrapped Bootstrap bootstrap,
            Map<Metric, @Nullable Interval> overall,
            Map<String, Map<Metric, @Nullable Interval>> byModality,
            Map<String, Map<Metric, @Nullable Interval>> byDifficulty,
            Map<String, Map<Metric, @Nullable Interval>> byScenario) {}

    @JsonProperty("ci")
    Intervals intervals() {
        return new Intervals(bootstrap, overall.intervals(), of(byModality), of(byDifficulty), of(byScenario));
    }

    private static Map<String, Map<Metric, @Nullable Interval>> of(Map<String, Metrics> groups) {
        Map<String, Map<Metric, @Nullable Interval>> intervals = new LinkedHashMap<>();
        groups.forEach((name, metrics) -> intervals.put(name, metrics.intervals()));
        return intervals;
    }

    /**
     * How the judge did.
     *
     * @param n samples that it was asked about: the prediction and some valid answer act
     * @param abstained those of them that it came to no decision on, which SR leaves out
     */
    public record VerdictCounts(int n, int abstained) {}

    @JsonProperty("verdicts")
    public VerdictCounts verdictCounts() {
        return new VerdictCounts(
                (int) samples.stream().filter(SampleScore::judged).count(),
                (int) samples.stream().filter(SampleScore::abstained).count());
    }

    @JsonProperty("errors")
    public ErrorAnalysis errors() {
        return ErrorAnalysis.of(samples);
    }
}
