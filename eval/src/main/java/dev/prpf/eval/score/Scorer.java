package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scores predictions against gold samples (PRPF Appendix B.3).
 *
 * @param catalog gives each sample its scenario; null: no metrics by scenario
 * @param judge of functional equivalence
 * @param bootstrap makes the intervals
 * @param clusterBy which samples a draw holds or leaves out together
 * @param groups of scenarios
 */
public record Scorer(
        @Nullable ScenarioCatalog catalog,
        Judge judge,
        Bootstrap bootstrap,
        ClusterBy clusterBy,
        ScenarioGroups groups) {
    /** Samples that are judged together and held in memory at once. */
    private static final int CHUNK = 1024;

    /** With draws of trajectories and the papers' groups of scenarios. */
    public Scorer(@Nullable ScenarioCatalog catalog, Judge judge, Bootstrap bootstrap) {
        this(catalog, judge, bootstrap, ClusterBy.TRAJECTORY, ScenarioGroups.PAPERS);
    }

    /** With the standard judge and {@link Bootstrap#DEFAULT}. */
    public static Scorer standard(@Nullable ScenarioCatalog catalog) {
        return new Scorer(catalog, Judge.standard(), Bootstrap.DEFAULT);
    }

    /**
     * Scores.
     *
     * @param predictions by the sample's id, one a sample, as {@link Pairing} makes sure
     * @param pool of the gold set's functions; a call that is not in it is warned of
     */
    public Scores score(List<Sample> gold, Map<String, Prediction> predictions, FunctionPool pool) {
        return score(gold.iterator(), predictions::get, pool);
    }

    /** As {@link #score(List, Map, FunctionPool)}; memory holds some samples at a time and one score each. */
    public Scores score(Iterator<Sample> gold, Function<String, @Nullable Prediction> predictions, FunctionPool pool) {
        return summed(samples(gold, predictions, pool));
    }

    /** One score a sample, in order, without groups and intervals; parameters as of {@link #score}. */
    public List<SampleScore> samples(
            Iterator<Sample> gold, Function<String, @Nullable Prediction> predictions, FunctionPool pool) {
        ScoringPass pass = new ScoringPass(this, pool);
        List<ScoringPass.Pair> chunk = new ArrayList<>();
        while (gold.hasNext()) {
            Sample sample = gold.next();
            Prediction prediction = Objects.requireNonNull(predictions.apply(sample.id()), sample.id());
            chunk.add(new ScoringPass.Pair(sample, prediction));
            if (chunk.size() == CHUNK || !gold.hasNext()) {
                pass.add(chunk);
                chunk.clear();
            }
        }
        return pass.finish();
    }

    /** Metrics and intervals of the scores of one gold set. */
    public Scores summed(List<SampleScore> scores) {
        List<String> modalities = List.of("text", "multimodal");
        List<String> levels = List.of("1", "2", "3");
        Map<String, Map<String, Metrics>> both = new LinkedHashMap<>();
        grouped(
                        scores,
                        levels.stream()
                                .flatMap(level -> modalities.stream().map(modality -> level + " " + modality))
                                .toList(),
                        score -> score.difficulty() + " " + score.modality().label())
                .forEach((cell, metrics) -> both.computeIfAbsent(cell.substring(0, 1), level -> new LinkedHashMap<>())
                        .put(cell.substring(2), metrics));
        return new Scores(
                Metrics.of(scores, bootstrap),
                grouped(scores, modalities, score -> score.modality().label()),
                grouped(scores, levels, score -> Integer.toString(score.difficulty())),
                catalog == null ? Map.of() : grouped(scores, catalog.names(), SampleScore::scenario),
                Collections.unmodifiableMap(both),
                catalog == null ? Map.of() : grouped(scores, List.of("in", "out"), this::distribution),
                catalog == null ? ScenarioAnalysis.NONE : ScenarioAnalysis.of(scores, groups),
                judge.id(),
                bootstrap,
                clusterBy,
                scores);
    }

    private String distribution(SampleScore score) {
        return groups.unseen().contains(score.scenario()) ? "out" : "in";
    }

    /** Metrics of each group that occurs; those that the order lacks come last. */
    private Map<String, Metrics> grouped(
            List<SampleScore> scores, List<String> order, Function<SampleScore, @Nullable String> keyOf) {
        Map<String, List<SampleScore>> members = new LinkedHashMap<>();
        order.forEach(key -> members.put(key, new ArrayList<>()));
        for (SampleScore score : scores) {
            String key = Objects.requireNonNullElse(keyOf.apply(score), ScenarioCatalog.NONE);
            members.computeIfAbsent(key, unseen -> new ArrayList<>()).add(score);
        }
        members.values().removeIf(List::isEmpty);
        List<Metrics> metrics = members.values().parallelStream()
                .map(some -> Metrics.of(some, bootstrap))
                .toList();
        Iterator<Metrics> next = metrics.iterator();
        Map<String, Metrics> groups = new LinkedHashMap<>();
        members.keySet().forEach(key -> groups.put(key, next.next()));
        return Collections.unmodifiableMap(groups);
    }
}
