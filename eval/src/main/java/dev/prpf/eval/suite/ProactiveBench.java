package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.encode.text.TextEncoder;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.gate.RocCurve;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The human-labelled decision points of ProactiveBench (arXiv 2410.12361): from the events so far, is help due? They are the rows of both
 * released files, grouped by their exact observations; the released split is ignored, since every observation list of its test file stands in
 * its training file too. One trace is left out at a time; the points of the twelve recorded traces count, all sixteen stand beside them
 * (docs/SUITES.md).
 *
 * @param points in order of first appearance
 */
record ProactiveBench(List<DecisionPoint> points) {
    static final GateSuite SUITE = new GateSuite(
            "proactivebench",
            "is help due? 233 moments of 12 recorded desktop traces, one trace held out",
            new Suite.DataSource("thunlp/ProactiveAgent", "86383616", "Apache-2.0"),
            "gate/proactivebench",
            ProactiveBench::score);

    static final List<String> FILES = List.of("train_data.jsonl", "test_data.jsonl");
    private static final String INSIDE = ", FTR <= 20 inside";
    private static final String OURS = "MPP" + INSIDE;
    private static final int SPLITS = 6;

    /** Thresholds take the most recall with at most this false-trigger rate, percent, on inner traces. */
    private static final NestedScores.DecisionRule RULE =
            (scores, labels) -> RocCurve.mostRecallWithin(20, scores, labels);

    private static SuiteResult score(DataFolder data, Supplier<TextEncoder> encoder) {
        ProactiveBench bench = read(data);
        Map<String, Scored> released = ReleasedDecisions.read(data, bench.real());
        EventVectors vectors = EventVectors.of(bench.points(), encoder);
        try (MppGate gate = new MppGate(MppGate.PRIMARY, vectors)) {
            return bench.result(released, gate, vectors);
        }
    }

    SuiteResult result(Map<String, Scored> released, GateTrainer perceiver, EventVectors vectors) {
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, ours(real(), perceiver, "recorded traces"));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(OURS));
        released.values().stream()
                .max(Comparator.comparingInt(shown -> shown.points().size()))
                .ifPresent(shown -> rows.add(makers.row(
                        OURS + ", on the events shown to released models",
                        SuiteRow.Kind.OURS,
                        makers.ours().only(Set.copyOf(shown.points())))));
        rows.addAll(baselines(makers, vectors));
        released.forEach((model, decisions) -> rows.add(makers.row(model, SuiteRow.Kind.PUBLISHED, decisions)));
        return new SuiteResult(
                SUITE.name(),
                vectors.encoder(),
                null,
                new SuiteResult.SuiteTable("is help due? recorded traces, leave one trace out", real().size(), rows),
                List.of(allTraces(perceiver, vectors)),
                List.of(),
                List.of("ProactiveBench's false alarm is another metric than FTR, 100 - P."));
    }

    private SuiteResult.SuiteTable allTraces(GateTrainer perceiver, EventVectors vectors) {
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, ours(points, perceiver, "all traces"));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.row(OURS, SuiteRow.Kind.OURS, makers.ours()));
        rows.addAll(baselines(makers, vectors));
        return new SuiteResult.SuiteTable(
                "recorded traces and those written by a language model, leave one trace out", points.size(), rows);
    }

    private static Scored ours(List<DecisionPoint> points, GateTrainer perceiver, String what) {
        return scores(points, perceiver, "perceivers, " + what).by(RULE);
    }

    private static NestedScores scores(List<DecisionPoint> points, GateTrainer trainer, String task) {
        NestedFolds folds = NestedFolds.leaveOneOut(DecisionPoint.groups(points), SPLITS);
        return NestedScores.of(points, folds, trainer, task);
    }

    private static List<SuiteRow> baselines(SuiteRows makers, EventVectors vectors) {
        List<DecisionPoint> points = makers.ours().points();
        List<SuiteRow> rows = new ArrayList<>(makers.trivial());
        rows.add(makers.baseline("rule: the event says \"search\"", Baselines.searchRule(points)));
        NestedScores bayes = scores(points, Baselines.naiveBayes(), EnsembleExperiment.NAIVE_BAYES);
        rows.add(makers.baseline(EnsembleExperiment.NAIVE_BAYES, bayes.at(SuiteRows.OVERSAMPLED)));
        Map<String, GateTrainer> regressions = new LinkedHashMap<>();
        regressions.put(EnsembleExperiment.TF_IDF, Baselines.tfIdf());
        regressions.put(vectors.name() + " + LR", Baselines.embedding(vectors, 1));
        regressions.forEach((name, trainer) ->
                rows.addAll(makers.twoThresholds(name, scores(points, trainer, name), RULE, INSIDE)));
        return rows;
    }

    /**
     * Reads {@code reward_data/}.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 if a line is not such a record or two rows of a point disagree
     *     on the label
     */
    static ProactiveBench read(DataFolder data) {
        Path folder = data.find("reward_data");
        Map<List<DecisionPoint.Event>, DecisionPoint> points = new LinkedHashMap<>();
        for (String name : FILES) {
            BenchmarkFile file = data.file(folder.resolve(name));
            List<JsonNode> rows = file.lines();
            for (int i = 0; i < rows.size(); i++) {
                String place = "line " + (i + 1);
                DecisionPoint point = point(file, place, rows.get(i));
                DecisionPoint known = points.putIfAbsent(point.events(), point);
                if (known != null && known.helpNeeded() != point.helpNeeded()) {
                    throw file.bad(
                            place + "/help_needed",
                            "is " + point.helpNeeded() + ", must be as in an earlier row with the same obs");
                }
            }
        }
        return new ProactiveBench(List.copyOf(points.values()));
    }

    /** The points of recorded traces alone (the primary set), without those of traces that a language model wrote. */
    List<DecisionPoint> real() {
        return points.stream()
                .filter(point -> !point.events().get(0).time().startsWith("Day"))
                .toList();
    }

    static DecisionPoint point(BenchmarkFile file, String place, JsonNode row) {
        JsonNode observations = row.path("obs");
        boolean holds = observations.isArray() && !observations.isEmpty();
        file.require(holds, place + "/obs", observations, "a list that is not empty");
        JsonNode label = row.path("help_needed");
        file.require(label.isBoolean(), place + "/help_needed", label, "true or false");
        List<DecisionPoint.Event> events = new ArrayList<>();
        for (JsonNode observation : observations) {
            events.add(event(file, place + "/obs/" + events.size(), observation));
        }
        return DecisionPoint.inTrace(events, label.booleanValue());
    }

    static DecisionPoint.Event event(BenchmarkFile file, String place, JsonNode observation) {
        return new DecisionPoint.Event(file.text(observation, "time", place), file.text(observation, "event", place));
    }
}
