package dev.prpf.eval.score;

import dev.prpf.base.statistics.Interval;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a system did on a gold set.
 *
 * @param judge who said what is functionally equivalent
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
     * The figures of some of the samples.
     *
     * @param metrics point estimates
     * @param intervals confidence intervals of those that exist
     */
    public record Group(Metrics metrics, Map<Figure, Interval> intervals) {
        public Group {
            intervals = Map.copyOf(intervals);
        }

        private Map<String, Object> intervalsJson() {
            Map<String, Object> json = new LinkedHashMap<>();
            for (Figure figure : Figure.values()) {
                Interval interval = intervals.get(figure);
                json.put(figure.key(), interval == null ? null : List.of(interval.low(), interval.high()));
            }
            return json;
        }
    }

    /** The contract's object of {@code eval score --json}, and beside it "judge", "ci" and "errors". */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("overall", overall.metrics().toJson());
        json.put("by_modality", metricsJson(byModality));
        json.put("by_difficulty", metricsJson(byDifficulty));
        json.put("by_scenario", metricsJson(byScenario));
        json.put("judge", judge);
        json.put("ci", intervalsJson());
        json.put("errors", ErrorAnalysis.of(samples).toJson());
        return json;
    }

    private Map<String, Object> intervalsJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("level", bootstrap.level());
        json.put("resamples", bootstrap.resamples());
        json.put("seed", bootstrap.seed());
        json.put("overall", overall.intervalsJson());
        json.put("by_modality", intervalsJson(byModality));
        json.put("by_difficulty", intervalsJson(byDifficulty));
        json.put("by_scenario", intervalsJson(byScenario));
        return json;
    }

    private static Map<String, Object> metricsJson(Map<String, Group> groups) {
        Map<String, Object> json = new LinkedHashMap<>();
        groups.forEach((name, group) -> json.put(name, group.metrics().toJson()));
        return json;
    }

    private static Map<String, Object> intervalsJson(Map<String, Group> groups) {
        Map<String, Object> json = new LinkedHashMap<>();
        groups.forEach((name, group) -> json.put(name, group.intervalsJson()));
        return json;
    }
}
