package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.par.cascade.Prediction;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
 * @param catalog gives each sample its scenario; null for no metrics by scenario
 * @param judge judges functional equivalence
 * @param bootstrap computes the intervals
 * @param clusterBy the rule for samples that are drawn together
 */
public record Scorer(
        @Nullable ScenarioCatalog catalog,
        Judge judge,
        Bootstrap bootstrap,
        ClusterBy clusterBy,
        ScenarioGroups groups) {
    /** Number of samples judged together and held in memory. */
    private static final int CHUNK = 1024;

    /** Creates a scorer that draws trajectories, with the papers' groups of scenarios. */
    public Scorer(@Nullable ScenarioCatalog catalog, Judge judge, Bootstrap bootstrap) {
        this(catalog, judge, bootstrap, ClusterBy.TRAJECTORY, ScenarioGroups.PAPERS);
    }

    /** Creates a scorer with the standard judge and {@link Bootstrap#DEFAULT}. */
    public static Scorer standard(@Nullable ScenarioCatalog catalog) {
        return new Scorer(catalog, Judge.standard(), Bootstrap.DEFAULT);
    }

    /**
     * Scores predictions against gold samples.
     *
     * @param predictions one prediction per sample by id, checked by {@link Pairing}
     * @param pool the gold set's functions; calls of other functions are logged
     */
    public Scores score(List<Sample> gold, Map<String, Prediction> predictions, FunctionPool pool) {
        return score(gold.iterator(), predictions::get, pool);
    }

    /** Scores a stream of samples; memory holds a chunk of samples and all scores. */
    public Scores score(Iterator<Sample> gold, Function<String, @Nullable Prediction> predictions, FunctionPool pool) {
        return summed(samples(gold, predictions, pool));
    }

    /** Returns one score per sample, in order, without groups and intervals. */
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

    /** Returns metrics and intervals of the scores of one gold set. */
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

    /** Returns the metrics of each group that occurs; groups missing in the order come last. */
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

    /** The rule for samples that share a source and thus depend on each other; a bootstrap draws whole sources. */
    public enum ClusterBy implements Labelled {
        /** Samples of one recording: trajectories with the same first screenshot, or the same first text and profile. */
        TRAJECTORY,
        /** Samples of the same user, with equal profiles. */
        PROFILE,
        /** Independent samples: every sample is its own source. */
        SAMPLE;

        /** Returns the number of a sample's source, 64 bits of a SHA-256. */
        long source(Sample sample) {
            return switch (this) {
                case TRAJECTORY -> beginning(sample);
                case PROFILE -> number("profile", sample.context().profile());
                case SAMPLE -> number("sample", sample.id());
            };
        }

        /** Hashes only the first step, since samples of a recording are its prefixes; a trace without steps is its own source. */
        private static long beginning(Sample sample) {
            List<TraceStep> steps = sample.trajectory().steps();
            if (steps.isEmpty()) {
                return SAMPLE.source(sample);
            }
            return steps.get(0) instanceof TraceStep.Screenshot screenshot
                    ? number("screenshot", screenshot.path())
                    : number(
                            "text",
                            sample.context().profile() + "\0"
                                    + sample.trajectory().texts().get(0));
        }

        private static long number(String kind, String text) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256")
                        .digest((kind + "\0" + text).getBytes(StandardCharsets.UTF_8));
                return ByteBuffer.wrap(digest).getLong();
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }
    }
}
