package dev.prpf.eval.suite;

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

    static final TraceBootstrap BOOTSTRAP = new TraceBootstrap(2_000, 42);

    private static final String OURS = "MPP, FTR <= 20 inside";
    private static final double BALANCED = 0.5;

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
     * @throws dev.prpf.data.run.PrpfException 69 if a file is missing, 65 if one is not what it should be
     */
    public static SuiteResult run(Path folder) {
        ProactiveBench bench = ProactiveBench.read(folder);
        Map<String, Scored> released =
                ReleasedDecisions.read(folder, bench.real()).byModel();
        EventVectors vectors = EventVectors.byBge(bench.points());
        try (MppGate gate = new MppGate(MppGate.PRIMARY, vectors)) {
            return new ProactiveBenchSuite(vectors, gate).result(bench, released);
        }
    }

    SuiteResult result(ProactiveBench bench, Map<String, Scored> released) {
        Scored gate = ours(bench.real(), "recorded traces");
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(row(OURS, SuiteRow.Kind.OURS, true, gate));
        released.values().stream()
                .max(Comparator.comparingInt(shown -> shown.points().size()))
                .ifPresent(shown -> rows.add(row(
                        OURS + ", on the events shown to released models",
                        SuiteRow.Kind.OURS,
                        false,
                        gate.only(Set.copyOf(shown.points())))));
        rows.addAll(baselines(bench.real()));
        released.forEach((model, decisions) -> rows.add(row(model, SuiteRow.Kind.PUBLISHED, false, decisions)));
        List<SuiteRow> all = new ArrayList<>();
        all.add(row(OURS, SuiteRow.Kind.OURS, false, ours(bench.points(), "all traces")));
        all.addAll(baselines(bench.points()));
        return new SuiteResult(
                NAME,
                new SuiteResult.Table(
                        "is help due? recorded traces, leave one trace out",
                        bench.real().size(),
                        rows),
                List.of(new SuiteResult.Table(
                        "recorded traces and those written by a language model, leave one trace out",
                        bench.points().size(),
                        all)));
    }

    private Scored ours(List<DecisionPoint> points, String what) {
        return new LeaveOneTraceOut(points).within(FALSE_TRIGGER_LIMIT, ours, "perceivers, " + what);
    }

    private List<SuiteRow> baselines(List<DecisionPoint> points) {
        LeaveOneTraceOut leaveOneOut = new LeaveOneTraceOut(points);
        GateTrainer embedding = Baselines.embedding(vectors::of);
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(baseline("never", Baselines.always(false, points)));
        rows.add(baseline("always", Baselines.always(true, points)));
        rows.add(baseline("rule: the event says \"search\"", Baselines.searchRule(points)));
        rows.add(baseline("naive Bayes", leaveOneOut.at(BALANCED, Baselines.naiveBayes())));
        rows.add(baseline("TF-IDF + LR", leaveOneOut.at(BALANCED, Baselines.tfIdf())));
        rows.add(baseline("TF-IDF + LR, FTR <= 20 inside", limited(leaveOneOut, Baselines.tfIdf())));
        rows.add(baseline("BGE + LR", leaveOneOut.at(BALANCED, embedding)));
        rows.add(baseline("BGE + LR, FTR <= 20 inside", limited(leaveOneOut, embedding)));
        return rows;
    }

    private static Scored limited(LeaveOneTraceOut leaveOneOut, GateTrainer trainer) {
        return leaveOneOut.within(FALSE_TRIGGER_LIMIT, trainer, "logistic regression");
    }

    private static SuiteRow baseline(String name, Scored scored) {
        return row(name, SuiteRow.Kind.BASELINE, false, scored);
    }

    private static SuiteRow row(String name, SuiteRow.Kind kind, boolean primary, Scored scored) {
        return SuiteRow.of(name, kind, primary, scored, BOOTSTRAP);
    }
}
