package dev.prpf.eval.suite;

import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.ShippedEncoders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * ProactiveBench's gate task: from the events so far, is help due? Leave one trace out; the points of the twelve recorded traces count,
 * all sixteen stand beside them. See docs/SUITES.md.
 */
public final class ProactiveBenchSuite {
    /** The suite's name on the command line. */
    public static final String NAME = "proactivebench";

    /** Thresholds take the most recall with at most this false-trigger rate, percent, on inner traces. */
    static final double FALSE_TRIGGER_LIMIT = 20;

    static final GroupBootstrap BOOTSTRAP = new GroupBootstrap(2_000, 42);

    private static final String INSIDE = ", FTR <= 20 inside";
    private static final String OURS = "MPP" + INSIDE;
    private static final int PARTS = 6;

    private final EventVectors vectors;
    private final GateTrainer ours;

    /**
     * @param vectors of every event's text
     * @param ours the gate of the primary row
     */
    ProactiveBenchSuite(EventVectors vectors, GateTrainer ours) {
        this.vectors = vectors;
        this.ours = ours;
    }

    /**
     * Reads the data, encodes the events with BGE, trains and scores everything; minutes.
     *
     * @param folder see {@link BenchmarkFolder#proactiveBench}
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 if one is not what it should be
     */
    public static SuiteResult run(Path folder) {
        ProactiveBench bench = ProactiveBench.read(folder);
        Map<String, Scored> released =
                ReleasedDecisions.read(folder, bench.real()).byModel();
        EventVectors vectors = EventVectors.of(bench.points(), EncoderSpec.ofText(ShippedEncoders.DEFAULT));
        try (MppGate gate = new MppGate(MppGate.PRIMARY, vectors)) {
            return new ProactiveBenchSuite(vectors, gate).result(bench, released);
        }
    }

    SuiteResult result(ProactiveBench bench, Map<String, Scored> released) {
        Scored gate = ours(bench.real(), "recorded traces");
        SuiteRows makers = new SuiteRows(BOOTSTRAP, gate);
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(OURS));
        released.values().stream()
                .max(Comparator.comparingInt(shown -> shown.points().size()))
                .ifPresent(shown -> rows.add(makers.row(
                        OURS + ", on the events shown to released models",
                        SuiteRow.Kind.OURS,
                        gate.only(Set.copyOf(shown.points())))));
        rows.addAll(baselines(bench.real(), makers));
        released.forEach((model, decisions) -> rows.add(makers.row(model, SuiteRow.Kind.PUBLISHED, decisions)));
        return new SuiteResult(
                NAME,
                new SuiteResult.Table(
                        "is help due? recorded traces, leave one trace out",
                        bench.real().size(),
                        rows),
                List.of(allTraces(bench.points())),
                List.of(),
                List.of("ProactiveBench's false alarm is another figure than FTR, 100 - P."));
    }

    private SuiteResult.Table allTraces(List<DecisionPoint> points) {
        Scored gate = ours(points, "all traces");
        SuiteRows makers = new SuiteRows(BOOTSTRAP, gate);
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.row(OURS, SuiteRow.Kind.OURS, gate));
        rows.addAll(baselines(points, makers));
        return new SuiteResult.Table(
                "recorded traces and those written by a language model, leave one trace out", points.size(), rows);
    }

    private static NestedFolds folds(List<DecisionPoint> points) {
        return NestedFolds.leaveOneOut(points.stream().map(DecisionPoint::group).toList(), PARTS);
    }

    private Scored ours(List<DecisionPoint> points, String what) {
        return NestedScores.of(points, folds(points), ours, "perceivers, " + what)
                .by(DecisionRule.falseTriggersWithin(FALSE_TRIGGER_LIMIT));
    }

    private List<SuiteRow> baselines(List<DecisionPoint> points, SuiteRows makers) {
        List<SuiteRow> rows = new ArrayList<>(makers.trivial());
        rows.add(makers.baseline("rule: the event says \"search\"", Baselines.searchRule(points)));
        rows.add(makers.baseline(
                "naive Bayes",
                NestedScores.outerOnly(points, folds(points), Baselines.naiveBayes())
                        .at(SuiteRows.BALANCED)));
        DecisionRule rule = DecisionRule.falseTriggersWithin(FALSE_TRIGGER_LIMIT);
        rows.addAll(makers.twoThresholds(
                "TF-IDF + LR", NestedScores.of(points, folds(points), Baselines.tfIdf(), "TF-IDF + LR"), rule, INSIDE));
        rows.addAll(makers.twoThresholds(
                "BGE + LR",
                NestedScores.of(points, folds(points), Baselines.embedding(vectors), "BGE + LR"),
                rule,
                INSIDE));
        return rows;
    }
}
