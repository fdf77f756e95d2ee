package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.match.BestMatch;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.judge.SampleVerdict;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scores predictions against gold samples (PRPF Appendix B.3).
 *
 * @param catalog gives each sample its scenario; null: no metrics by scenario
 * @param judge of functional equivalence
 * @param bootstrap makes the intervals
 */
public record Scorer(@Nullable ScenarioCatalog catalog, Judge judge, Bootstrap bootstrap) {
    private static final Logger LOG = LoggerFactory.getLogger(Scorer.class);
    private static final int NAMED = 20;

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
        List<SampleScore> scores = samples(gold, predictions, pool);
        return new Scores(
                Metrics.of(scores, bootstrap),
                groups(scores, List.of("text", "multimodal"), score -> score.modality()
                        .label()),
                groups(scores, List.of("1", "2", "3"), score -> Integer.toString(score.difficulty())),
                catalog == null ? Map.of() : groups(scores, catalog.names(), SampleScore::scenario),
                judge.id(),
                bootstrap,
                scores);
    }

    /** One score a sample, in order, without groups and intervals; parameters as of {@link #score}. */
    List<SampleScore> samples(List<Sample> gold, Map<String, Prediction> predictions, FunctionPool pool) {
        warnOfUnknown(gold, pool);
        List<Prediction> paired = gold.stream()
                .map(sample -> Objects.requireNonNull(predictions.get(sample.id()), sample.id()))
                .toList();
        List<@Nullable SampleVerdict> verdicts = verdicts(gold, paired, pool);
        return IntStream.range(0, gold.size())
                .mapToObj(i -> score(gold.get(i), paired.get(i), verdicts.get(i)))
                .toList();
    }

    /** One a sample, null where no judge is needed; the judge gets all pairs that both act in one call. */
    private List<@Nullable SampleVerdict> verdicts(List<Sample> gold, List<Prediction> predictions, FunctionPool pool) {
        List<Judge.Case> cases = new ArrayList<>();
        int[] ends = new int[gold.size()];
        for (int i = 0; i < ends.length; i++) {
            List<FunctionCall> predicted = predictions.get(i).scored();
            for (List<FunctionCall> answer : gold.get(i).validSequences()) {
                if (predicted != null && !predicted.isEmpty() && !answer.isEmpty()) {
                    cases.add(new Judge.Case(gold.get(i), pool, predicted, answer));
                }
            }
            ends[i] = cases.size();
        }
        List<Judge.Verdict> all = cases.isEmpty() ? List.of() : judge.judge(cases);
        List<@Nullable SampleVerdict> verdicts = new ArrayList<>();
        for (int i = 0; i < ends.length; i++) {
            List<Judge.Verdict> own = all.subList(i == 0 ? 0 : ends[i - 1], ends[i]);
            verdicts.add(own.isEmpty() ? null : SampleVerdict.of(gold.get(i).id(), own));
        }
        warnOfAbstentions(verdicts);
        return verdicts;
    }

    private void warnOfAbstentions(List<@Nullable SampleVerdict> verdicts) {
        List<SampleVerdict> judged =
                verdicts.stream().flatMap(Stream::ofNullable).toList();
        long abstained = judged.stream().filter(SampleVerdict::abstained).count();
        if (abstained > 0) {
            LOG.warn(
                    "the judge {} abstained on {} of the {} samples that it was asked about; SR leaves them out",
                    judge.id(),
                    abstained,
                    judged.size());
        }
    }

    private SampleScore score(Sample sample, Prediction prediction, @Nullable SampleVerdict verdict) {
        List<FunctionCall> predicted = prediction.scored();
        List<String> names = predicted == null ? null : BestMatch.names(predicted);
        boolean rightlySilent = predicted != null
                && predicted.isEmpty()
                && sample.validSequences().stream().anyMatch(List::isEmpty);
        return new SampleScore(
                sample.id(),
                sample.modality(),
                sample.difficulty(),
                catalog == null ? null : catalog.scenarioOf(sample),
                prediction.route() == Prediction.Route.SILENT,
                sample.wantsIntervention(),
                names,
                BestMatch.of(names, sample.validSequences()),
                rightlySilent || (verdict != null && Objects.equals(verdict.equivalent(), true)),
                verdict != null && verdict.abstained());
    }

    private Map<String, Metrics> groups(
            List<SampleScore> scores, List<String> order, Function<SampleScore, @Nullable String> keyOf) {
        Map<String, List<SampleScore>> members = new LinkedHashMap<>();
        order.forEach(key -> members.put(key, new ArrayList<>()));
        for (SampleScore score : scores) {
            String key = Objects.requireNonNullElse(keyOf.apply(score), ScenarioCatalog.NONE);
            members.computeIfAbsent(key, unseen -> new ArrayList<>()).add(score);
        }
        Map<String, Metrics> groups = new LinkedHashMap<>();
        members.forEach((key, some) -> {
            if (!some.isEmpty()) {
                groups.put(key, Metrics.of(some, bootstrap));
            }
        });
        return Collections.unmodifiableMap(groups);
    }

    private static void warnOfUnknown(List<Sample> gold, FunctionPool pool) {
        List<String> unknown = gold.stream()
                .flatMap(sample -> sample.validSequences().stream())
                .flatMap(Collection::stream)
                .map(FunctionCall::name)
                .filter(name -> !pool.contains(name))
                .distinct()
                .toList();
        if (!unknown.isEmpty()) {
            LOG.warn(
                    "{} functions that valid answers call are not in the pool of {}: {}. No metric needs them there,"
                            + " but is this the pool of this gold set? See `prpf data validate`",
                    unknown.size(),
                    pool.size(),
                    String.join(", ", unknown.stream().limit(NAMED).toList()));
        }
    }
}
