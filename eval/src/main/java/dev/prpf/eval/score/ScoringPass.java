package dev.prpf.eval.score;

import dev.prpf.data.BestMatch;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scores gold samples and their predictions chunk by chunk. Equal scores share their parts, so that a million fit into memory. */
final class ScoringPass {
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
