package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import dev.prpf.mpp.ensemble.NestedFolds;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * The human-labelled decision points of ProactiveBench (arXiv 2410.12361). The task: from the events so far, is help due? Points
 * are the rows of both released files, grouped by exact observations. The released split is ignored, since its training file
 * contains every observation list of its test file. One trace is held out at a time. The twelve recorded traces count; a second
 * table has all sixteen (docs/SUITES.md).
 */
record ProactiveBench(List<DecisionPoint> points) {
    static final GateSuite SUITE = new GateSuite(
            "proactivebench",
            "is help due? 233 moments of 12 recorded desktop traces, one trace held out",
            new Suite.DataSource("thunlp/ProactiveAgent", "86383616", "Apache-2.0"),
            "gate/proactivebench",
            GateSuite.ENGLISH,
            ProactiveBench::score);

    static final List<String> FILES = List.of("train_data.jsonl", "test_data.jsonl");
    private static final int SPLITS = 6;
    private static final EnsembleExperiment.Threshold RULE = EnsembleExperiment.Threshold.within(17);

    private static SuiteResult score(DataFolder data, List<SuiteEncoder> encoders) {
        ProactiveBench bench = read(data);
        Map<String, Scored> released = ReleasedDecisions.read(data, bench.real());
        List<EventVectors> vectors = EventVectors.of(bench.points(), encoders);
        MppGate gate = new MppGate(MppGate.PRIMARY, EventVectors.joined(vectors));
        return bench.result(released, gate, vectors);
    }

    SuiteResult result(Map<String, Scored> released, GateTrainer perceiver, List<EventVectors> vectors) {
        EnsembleExperiment experiment = experiment(real(), perceiver, vectors, "recorded traces");
        Scored ours = experiment.decisions(EnsembleExperiment.MIXTURE, RULE);
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, ours);
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(EnsembleExperiment.MIXTURE + RULE.name()));
        released.values().stream()
                .max(Comparator.comparingInt(shown -> shown.points().size()))
                .ifPresent(shown -> rows.add(makers.row(
                        EnsembleExperiment.MIXTURE + RULE.name() + ", on the events shown to released models",
                        SuiteRow.Kind.OURS,
                        ours.only(Set.copyOf(shown.points())))));
        rows.addAll(others(experiment, makers));
        released.forEach((model, decisions) -> rows.add(makers.row(model, SuiteRow.Kind.PUBLISHED, decisions)));
        return new SuiteResult(
                SUITE.name(),
                experiment.encoderIds(),
                null,
                new SuiteResult.SuiteTable("is help due? recorded traces, leave one trace out", real().size(), rows),
                List.of(allTraces(perceiver, vectors)),
                experiment.inner(),
                List.of("ProactiveBench's false alarm is another metric than FTR, 100 - P.", experiment.weights()));
    }

    private SuiteResult.SuiteTable allTraces(GateTrainer perceiver, List<EventVectors> vectors) {
        EnsembleExperiment experiment = experiment(points, perceiver, vectors, "all traces");
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, experiment.decisions(EnsembleExperiment.MIXTURE, RULE));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.row(EnsembleExperiment.MIXTURE + RULE.name(), SuiteRow.Kind.OURS, makers.ours()));
        rows.addAll(others(experiment, makers));
        return new SuiteResult.SuiteTable(
                "recorded traces and those written by a language model, leave one trace out", points.size(), rows);
    }

    private static EnsembleExperiment experiment(
            List<DecisionPoint> points, GateTrainer perceiver, List<EventVectors> vectors, String what) {
        NestedFolds folds = NestedFolds.leaveOneOut(DecisionPoint.groups(points), SPLITS);
        return new EnsembleExperiment(SUITE.name() + ", " + what, points, folds, vectors).train(perceiver);
    }

    private static List<SuiteRow> others(EnsembleExperiment experiment, SuiteRows makers) {
        EnsembleExperiment.Threshold highest = EnsembleExperiment.Threshold.HIGHEST_F1;
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.row(
                EnsembleExperiment.MIXTURE + highest.name(),
                SuiteRow.Kind.OURS,
                experiment.decisions(EnsembleExperiment.MIXTURE, highest)));
        rows.addAll(experiment.others(makers, RULE));
        rows.add(makers.baseline(
                "rule: the event says \"search\"",
                BaselineGates.searchRule(makers.ours().points())));
        return rows;
    }

    /**
     * Reads the files in {@code reward_data/}.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 for an invalid line or if two rows of a point
     *     disagree on the label
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
                            "is " + point.helpNeeded() + ", must equal that of an earlier row with the same obs");
                }
            }
        }
        return new ProactiveBench(List.copyOf(points.values()));
    }

    /** Returns the points of recorded traces (the primary set), without traces that a language model wrote. */
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

    /**
     * Decisions of the released models at the same events ({@code model_traces.zip}, in the repository {@code traces.zip}): a
     * proposal is a trigger, an empty list is silence. The models saw slightly different texts of the same recordings, so events are
     * joined by trace and time, in order. Six of the 233 events were not shown to them; an event with a failed call (no list as
     * response) is excluded.
     */
    static final class ReleasedDecisions {
        private ReleasedDecisions() {}

        /**
         * Reads the decisions of each model, by name.
         *
         * @param real the labelled points of recorded traces
         * @throws PrpfException 69 if files are missing, 65 if an event of a recording has no labelled point or an archive is invalid
         */
        static Map<String, Scored> read(DataFolder data, List<DecisionPoint> real) {
            Map<String, List<DecisionPoint>> traces = traces(data, real);
            BenchmarkFile archive = data.file(data.find("model_traces.zip", "traces.zip"));
            try (FileSystem zip = FileSystems.newFileSystem(archive.path());
                    Stream<Path> folders = Files.list(zip.getPath("eval", "traces_new"))) {
                Map<String, Scored> models = new TreeMap<>();
                for (Path model : folders.filter(Files::isDirectory).toList()) {
                    models.put(String.valueOf(model.getFileName()), decisions(archive, model, traces));
                }
                return models;
            } catch (IOException e) {
                throw archive.bad("as a whole", "cannot be read: " + e.getMessage());
            }
        }

        /** Returns the labelled points of the recordings in {@code test_data/}, by file name, in order. */
        private static Map<String, List<DecisionPoint>> traces(DataFolder data, List<DecisionPoint> real) {
            Map<List<DecisionPoint.Event>, DecisionPoint> byEvents = new HashMap<>();
            real.forEach(point -> byEvents.put(point.events(), point));
            Map<String, List<DecisionPoint>> traces = new LinkedHashMap<>();
            Path folder = data.find("test_data");
            for (String kind : List.of("code", "writing")) {
                for (int number = 11; number <= 16; number++) {
                    String name = kind + "_" + number + ".json";
                    traces.put(name, points(data.file(folder.resolve(name)), byEvents));
                }
            }
            return traces;
        }

        private static List<DecisionPoint> points(
                BenchmarkFile file, Map<List<DecisionPoint.Event>, DecisionPoint> byEvents) {
            List<DecisionPoint.Event> events = new ArrayList<>();
            List<DecisionPoint> points = new ArrayList<>();
            for (JsonNode step : file.tree()) {
                String place = "/" + events.size();
                events.add(ProactiveBench.event(file, place + "/observation", step.path("observation")));
                DecisionPoint point = byEvents.get(events);
                if (point == null) {
                    throw file.bad(place, "has no labelled point in reward_data");
                }
                points.add(point);
            }
            return points;
        }

        private static Scored decisions(BenchmarkFile archive, Path model, Map<String, List<DecisionPoint>> traces) {
            List<DecisionPoint> seen = new ArrayList<>();
            List<Boolean> triggers = new ArrayList<>();
            traces.forEach((name, points) -> {
                BenchmarkFile file = new BenchmarkFile(model.resolve(name), archive.source());
                String place = "/" + file.path();
                if (!Files.exists(file.path())) {
                    throw archive.bad(place, "is missing");
                }
                int from = 0;
                for (JsonNode step : file.tree()) {
                    int at = match(points, from, ProactiveBench.event(archive, place, step.path("observation")));
                    Boolean trigger = trigger(step.path("agent_response"));
                    if (at >= 0 && trigger != null) {
                        seen.add(points.get(at));
                        triggers.add(trigger);
                    }
                    from = Math.max(from, at + 1);
                }
            });
            return new Scored(seen, null, ArrayUtils.toPrimitive(triggers.toArray(Boolean[]::new)));
        }

        /** Returns the next point at the same time, preferably with the same text; -1 without one. */
        private static int match(List<DecisionPoint> points, int from, DecisionPoint.Event shown) {
            List<Integer> ofThatTime = IntStream.range(from, points.size())
                    .filter(i -> points.get(i).last().time().equals(shown.time()))
                    .boxed()
                    .toList();
            return ofThatTime.stream()
                    .filter(i -> points.get(i).last().equals(shown))
                    .findFirst()
                    .orElse(ofThatTime.isEmpty() ? -1 : ofThatTime.get(0));
        }

        private static @Nullable Boolean trigger(JsonNode response) {
            return !response.isArray()
                    ? null
                    : (Boolean) StreamSupport.stream(response.spliterator(), false)
                            .map(JsonRecords::text)
                            .anyMatch(text -> !text.isBlank() && !text.equals("null"));
        }
    }
}
