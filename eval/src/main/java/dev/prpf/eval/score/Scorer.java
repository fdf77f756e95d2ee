package dev.prpf.eval.score;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.match.BestMatch;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scores predictions against gold samples (PRPF Appendix B.3). */
public final class Scorer {
    private static final Logger LOG = LoggerFactory.getLogger(Scorer.class);
    private static final int NAMED = 20;

    private final @Nullable ScenarioCatalog catalog;
    private final Judge judge;
    private final Bootstrap bootstrap;

    /**
     * @param catalog gives each sample its scenario; null: no figures by scenario
     * @param judge of functional equivalence
     * @param bootstrap makes the intervals
     */
    public Scorer(@Nullable ScenarioCatalog catalog, Judge judge, Bootstrap bootstrap) {
        this.catalog = catalog;
        this.judge = judge;
        this.bootstrap = bootstrap;
    }

    /**
     * Scores with {@link Bootstrap#DEFAULT}.
     *
     * @param predictions by the sample's id, exactly one a sample
     * @throws PrpfException with BAD_DATA when gold and predictions do not fit
     */
    public static Scores score(
            List<Sample> gold,
            Map<String, Prediction> predictions,
            FunctionPool pool,
            @Nullable ScenarioCatalog catalog,
            Judge judge) {
        return new Scorer(catalog, judge, Bootstrap.DEFAULT).score(gold, predictions, pool);
    }

    /** Scores; see {@link #score(List, Map, FunctionPool, ScenarioCatalog, Judge)}. */
    public Scores score(List<Sample> gold, Map<String, Prediction> predictions, FunctionPool pool) {
        Map<String, Prediction> byId =
                Pairing.of(gold, "samples", List.copyOf(predictions.values()), "for the same run");
        warnOfUnknown(gold, pool);
        List<SampleScore> scores = new ArrayList<>(gold.size());
        for (Sample sample : gold) {
            Prediction prediction = byId.get(sample.id());
            if (prediction == null) {
                throw new IllegalStateException("no prediction for " + sample.id() + " after pairing");
            }
            scores.add(score(sample, prediction));
        }
        return assemble(scores);
    }

    private SampleScore score(Sample sample, Prediction prediction) {
        List<FunctionCall> predicted = prediction.scored();
        List<String> names = predicted == null ? null : BestMatch.names(predicted);
        List<List<FunctionCall>> answers = sample.validSequences();
        return new SampleScore(
                sample.id(),
                sample.modality(),
                sample.difficulty(),
                catalog == null ? null : catalog.scenarioOf(sample),
                prediction.route() == Prediction.Route.SILENT,
                sample.wantsIntervention(),
                names,
                BestMatch.of(names, answers),
                predicted != null && answers.stream().anyMatch(answer -> equivalent(sample, predicted, answer)));
    }

    private boolean equivalent(Sample sample, List<FunctionCall> predicted, List<FunctionCall> answer) {
        if (predicted.isEmpty() || answer.isEmpty()) {
            return predicted.isEmpty() && answer.isEmpty();
        }
        return judge.equivalent(sample, predicted, answer);
    }

    private Scores assemble(List<SampleScore> scores) {
        return new Scores(
                judge.id(),
                bootstrap,
                group(scores),
                groups(scores, List.of("text", "multimodal"), score -> score.modality()
                        .label()),
                groups(scores, List.of("1", "2", "3"), score -> Integer.toString(score.difficulty())),
                catalog == null ? Map.of() : groups(scores, catalog.names(), SampleScore::scenario),
                scores);
    }

    private Map<String, Scores.Group> groups(
            List<SampleScore> scores, List<String> order, Function<SampleScore, @Nullable String> keyOf) {
        Map<String, List<SampleScore>> members = new LinkedHashMap<>();
        order.forEach(key -> members.put(key, new ArrayList<>()));
        for (SampleScore score : scores) {
            String key = keyOf.apply(score);
            members.computeIfAbsent(key == null ? ScenarioCatalog.NONE : key, unseen -> new ArrayList<>())
                    .add(score);
        }
        Map<String, Scores.Group> groups = new LinkedHashMap<>();
        members.forEach((key, some) -> {
            if (!some.isEmpty()) {
                groups.put(key, group(some));
            }
        });
        return groups;
    }

    private Scores.Group group(List<SampleScore> scores) {
        return new Scores.Group(Metrics.of(scores), bootstrap.intervals(scores));
    }

    private static void warnOfUnknown(List<Sample> gold, FunctionPool pool) {
        Set<String> unknown = new LinkedHashSet<>();
        for (Sample sample : gold) {
            sample.validSequences().stream()
                    .flatMap(Collection::stream)
                    .filter(call -> !pool.contains(call.name()))
                    .forEach(call -> unknown.add(call.name()));
        }
        if (!unknown.isEmpty()) {
            LOG.warn(
                    "{} functions that valid answers call are not in the pool of {}: {}. No figure needs them there,"
                            + " but is this the pool of this gold set? See `prpf data validate`",
                    unknown.size(),
                    pool.size(),
                    String.join(", ", unknown.stream().limit(NAMED).toList()));
        }
    }
}
