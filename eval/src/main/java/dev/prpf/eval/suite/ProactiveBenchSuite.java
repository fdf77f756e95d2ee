package dev.prpf.eval.suite;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * ProactiveBench's gate task: from the events so far, is help due? Leave one trace out; the points of the twelve recorded traces count,
 * all sixteen stand beside them. See docs/SUITES.md.
 */
final class ProactiveBenchSuite {
    static final Suite SUITE = new Suite(
            "proactivebench",
            "is help due? 233 moments of 12 recorded desktop traces, one trace held out",
            ProactiveBench.SOURCE,
            ProactiveBenchSuite::run);

    private static final String INSIDE = ", FTR <= 20 inside";
    private static final String OURS = "MPP" + INSIDE;
    private static final int SPLITS = 6;

    /** Thresholds take the most recall with at most this false-trigger rate, percent, on inner traces. */
    private static final DecisionRule RULE = (scores, labels) -> RocCurve.mostRecallWithin(20, scores, labels);

    private ProactiveBenchSuite() {}

    private static SuiteResult run(DataFolder data) {
        ProactiveBench bench = ProactiveBench.read(data);
        Map<String, Scored> released = ReleasedDecisions.read(data, bench.real());
        EventVectors vectors = EventVectors.of(bench.points());
        try (MppGate gate = new MppGate(MppGate.PRIMARY, vectors)) {
            return result(bench, released, gate, vectors);
        }
    }

    static SuiteResult result(
            ProactiveBench bench, Map<String, Scored> released, GateTrainer perceiver, EventVectors vectors) {
        List<DecisionPoint> real = bench.real();
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, ours(real, perceiver, "recorded traces"));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(OURS));
        released.values().stream()
                .max(Comparator.comparingInt(shown -> shown.points().size()))
                .ifPresent(shown -> rows.add(makers.row(
                        OURS + ", on the events shown to released models",
                        SuiteRow.Kind.OURS,
                        makers.ours().only(Set.copyOf(shown.points())))));
        rows.addAll(baselines(real, makers, vectors));
        released.forEach((model, decisions) -> rows.add(makers.row(model, SuiteRow.Kind.PUBLISHED, decisions)));
        return new SuiteResult(
                SUITE.name(),
                new SuiteResult.Table("is help due? recorded traces, leave one trace out", real.size(), rows),
                List.of(allTraces(bench.points(), perceiver, vectors)),
                List.of(),
                List.of("ProactiveBench's false alarm is another metric than FTR, 100 - P."));
    }

    private static SuiteResult.Table allTraces(
            List<DecisionPoint> points, GateTrainer perceiver, EventVectors vectors) {
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, ours(points, perceiver, "all traces"));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.row(OURS, SuiteRow.Kind.OURS, makers.ours()));
        rows.addAll(baselines(points, makers, vectors));
        return new SuiteResult.Table(
                "recorded traces and those written by a language model, leave one trace out", points.size(), rows);
    }

    private static Scored ours(List<DecisionPoint> points, GateTrainer perceiver, String what) {
        return scores(points, perceiver, "perceivers, " + what).by(RULE);
    }

    private static NestedScores scores(List<DecisionPoint> points, GateTrainer trainer, String task) {
        NestedFolds folds = NestedFolds.leaveOneOut(DecisionPoint.groups(points), SPLITS);
        return NestedScores.of(points, folds, trainer, task);
    }

    private static List<SuiteRow> baselines(List<DecisionPoint> points, SuiteRows makers, EventVectors vectors) {
        List<SuiteRow> rows = new ArrayList<>(makers.trivial());
        rows.add(makers.baseline("rule: the event says \"search\"", Baselines.searchRule(points)));
        rows.add(makers.baseline(
                "naive Bayes",
                scores(points, Baselines.naiveBayes(), "naive Bayes").at(SuiteRows.BALANCED)));
        rows.addAll(
                makers.twoThresholds("TF-IDF + LR", scores(points, Baselines.tfIdf(), "TF-IDF + LR"), RULE, INSIDE));
        rows.addAll(makers.twoThresholds(
                "BGE + LR", scores(points, Baselines.embedding(vectors, 1), "BGE + LR"), RULE, INSIDE));
        return rows;
    }
}
