package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.BestMatch;
import dev.prpf.data.FunctionCall;
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
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    /** Scores gold samples and their predictions chunk by chunk. Equal scores share their parts, so that a million fit into memory. */
    static final class ScoringPass {
        private static final Logger LOG = LoggerFactory.getLogger(Scorer.class);
        private static final int NAMED = 20;

        private final Scorer scorer;
        private final FunctionPool pool;
        private final List<SampleScore> scores = new ArrayList<>();
        private final Map<Object, Object> shared = new HashMap<>();
        private final Set<String> unknown = new LinkedHashSet<>();

        ScoringPass(Scorer scorer, FunctionPool pool) {
            this.scorer = scorer;
            this.pool = pool;
        }

        record Pair(Sample sample, Prediction prediction) {}

        /** The valid answers equivalent to a prediction, and those on which the judge abstained. */
        private record Judged(BitSet equivalent, BitSet open) {
            /** Returns whether the judge abstained and found no equivalent answer. */
            boolean abstained() {
                return equivalent.isEmpty() && !open.isEmpty();
            }
        }

        /** Scores pairs; the judge receives all their answers with calls at once. */
        void add(List<Pair> pairs) {
            List<Judged> judged = judged(pairs);
            for (int i = 0; i < pairs.size(); i++) {
                scores.add(score(pairs.get(i), judged.get(i)));
            }
        }

        /** Returns all scores in the order of the pairs, and logs warnings. */
        List<SampleScore> finish() {
            Scores.VerdictCounts verdicts = Scores.VerdictCounts.of(scores);
            if (verdicts.abstained() > 0) {
                LOG.warn(
                        "the judge {} abstained on {} of the {} judged samples; SR excludes them",
                        scorer.judge().id(),
                        verdicts.abstained(),
                        verdicts.n());
            }
            if (!unknown.isEmpty()) {
                LOG.warn(
                        "{} functions that valid answers call are not in the pool of {}: {}. No metric needs them there,"
                                + " but is this the pool of this gold set? See `prpf data validate`",
                        unknown.size(),
                        pool.size(),
                        String.join(", ", unknown.stream().limit(NAMED).toList()));
            }
            return scores;
        }

        /** Returns one judgement per pair; silence equals silence for every judge. */
        private List<Judged> judged(List<Pair> pairs) {
            List<Judged> judged = new ArrayList<>();
            List<Judge.Case> cases = new ArrayList<>();
            List<int[]> places = new ArrayList<>(); // pair, answer
            for (Pair pair : pairs) {
                Judged found = new Judged(new BitSet(), new BitSet());
                judged.add(found);
                List<FunctionCall> predicted = pair.prediction().scored();
                List<List<FunctionCall>> answers = pair.sample().validSequences();
                for (int a = 0; a < answers.size() && predicted != null; a++) {
                    if (predicted.isEmpty() && answers.get(a).isEmpty()) {
                        found.equivalent().set(a);
                    } else if (!predicted.isEmpty() && !answers.get(a).isEmpty()) {
                        cases.add(new Judge.Case(pair.sample(), pool, predicted, answers.get(a)));
                        places.add(new int[] {judged.size() - 1, a});
                    }
                }
            }
            List<Judge.Verdict> verdicts =
                    cases.isEmpty() ? List.of() : scorer.judge().judge(cases);
            for (int k = 0; k < cases.size(); k++) {
                Judged of = judged.get(places.get(k)[0]);
                Judge.Verdict verdict = verdicts.get(k);
                of.equivalent().set(places.get(k)[1], Boolean.TRUE.equals(verdict.equivalent()));
                of.open().set(places.get(k)[1], verdict.abstained());
            }
            return judged;
        }

        private SampleScore score(Pair pair, Judged judged) {
            Sample sample = pair.sample();
            List<List<FunctionCall>> answers = sample.validSequences();
            answers.forEach(calls -> calls.stream()
                    .map(FunctionCall::name)
                    .filter(name -> !pool.contains(name))
                    .forEach(unknown::add));
            List<FunctionCall> calls = pair.prediction().scored();
            List<String> predicted = calls == null ? null : shared(BestMatch.names(calls));
            return new SampleScore(
                    sample.id(),
                    sample.modality(),
                    sample.difficulty(),
                    scorer.catalog() == null ? null : shared(scorer.catalog().scenarioOf(sample)),
                    pair.prediction().route() == Prediction.Route.SILENT,
                    sample.wantsIntervention(),
                    predicted,
                    shared(BestMatch.of(predicted, answers)),
                    shared(BestMatch.equivalentFirst(predicted, answers, judged.equivalent()::get)),
                    !judged.equivalent().isEmpty(),
                    judged.abstained(),
                    scorer.clusterBy().source(sample));
        }

        @SuppressWarnings("unchecked") // a value equals its key
        private <T> T shared(T value) {
            return (T) shared.computeIfAbsent(value, first -> first);
        }
    }
}
