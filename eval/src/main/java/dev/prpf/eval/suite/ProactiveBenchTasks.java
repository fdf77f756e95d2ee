package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.run.Progress;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * ProactiveBench's second task (arXiv 2410.12361 §4.1): would the observers accept this proposal, a task or none, after these events? One
 * row of the released files is one proposal. Both the released split and held-out traces are scored. A probe looks test rows up in the
 * training rows, which contain every observation list of the test rows (docs/SUITES.md).
 *
 * @param proposals of both files, the training file's first
 */
record ProactiveBenchTasks(List<Proposal> proposals) {
    static final GateSuite SUITE = new GateSuite(
            "proactivebench-tasks",
            "would this proposal be accepted? 120 released test rows, one trace held out, and the released split",
            ProactiveBench.SUITE.source(),
            ProactiveBench.SUITE.place(),
            List.of(ShippedEncoders.DEFAULT),
            ProactiveBenchTasks::score);

    private static final String HELD_OUT = ", one trace held out";
    private static final String RELEASED = ", released split (leaks)";
    private static final String OURS = "MPP, two heads";

    /**
     * A proposal in the released files.
     *
     * @param point the events so far, with the proposed task, if any, as phone context; its label is whether the proposal was accepted
     * @param test whether it is in the released test file
     * @param helpNeeded whether help is due, by the released labels
     */
    record Proposal(DecisionPoint point, boolean test, boolean helpNeeded, String category) {
        boolean proposesTask() {
            return !point.context().isEmpty();
        }

        String task() {
            return proposesTask() ? point.context().get(1) : "";
        }
    }

    private static SuiteResult score(DataFolder data, List<SuiteEncoder> encoders) {
        ProactiveBenchTasks tasks = read(data);
        EventVectors vectors = EventVectors.of(tasks.points(proposal -> true), encoders.get(0));
        return tasks.result(new MppGate(MppGate.PRIMARY, vectors), vectors);
    }

    SuiteResult result(GateTrainer perceiver, EventVectors vectors) {
        Map<String, GateTrainer> trainers = new LinkedHashMap<>();
        trainers.put(OURS, ProposalHeads.two(perceiver));
        trainers.put("TF-IDF + LR, one head", ProposalHeads.one(BaselineGates.tfIdf()));
        trainers.put("TF-IDF + LR, two heads", ProposalHeads.two(BaselineGates.tfIdf()));
        trainers.put(vectors.name() + " + LR, two heads", ProposalHeads.two(BaselineGates.embedding(vectors, 1)));
        Map<String, Scored> heldOut = new LinkedHashMap<>();
        trainers.forEach((name, trainer) -> heldOut.put(name, heldOut(name, trainer)));
        Scored ours = on(heldOut, OURS, Proposal::test);
        return new SuiteResult(
                SUITE.name(),
                vectors.encoder(),
                null,
                testRows(trainers, heldOut, ours),
                List.of(taskRows(heldOut)),
                List.of(),
                List.of(
                        agreement(ours),
                        "Figures of published rows are the paper's Table 2, its split and its judges'."));
    }

    private SuiteResult.SuiteTable testRows(
            Map<String, GateTrainer> trainers, Map<String, Scored> heldOut, Scored ours) {
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, ours);
        List<SuiteRow> rows = new ArrayList<>(List.of(makers.primary(OURS + HELD_OUT)));
        rows.addAll(makers.trivial());
        heldOut.keySet().stream()
                .filter(name -> !name.equals(OURS))
                .forEach(name -> rows.add(makers.baseline(name + HELD_OUT, on(heldOut, name, Proposal::test))));
        rows.add(makers.baseline("lookup of the training rows" + RELEASED, leakProbe()));
        List<DecisionPoint> training = points(proposal -> !proposal.test());
        List<DecisionPoint> test = points(Proposal::test);
        trainers.forEach((name, trainer) -> rows.add(makers.row(
                name + RELEASED,
                name.equals(OURS) ? SuiteRow.Kind.OURS : SuiteRow.Kind.BASELINE,
                halved(test, trainer.train(training).score(test)))));
        rows.addAll(published());
        return new SuiteResult.SuiteTable("is the proposal accepted? released test rows", test.size(), rows);
    }

    private SuiteResult.SuiteTable taskRows(Map<String, Scored> heldOut) {
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, on(heldOut, OURS, Proposal::proposesTask));
        List<SuiteRow> rows = new ArrayList<>(List.of(makers.row(OURS, SuiteRow.Kind.OURS, makers.ours())));
        rows.addAll(makers.trivial());
        heldOut.keySet().stream()
                .filter(name -> !name.equals(OURS))
                .forEach(name -> rows.add(makers.baseline(name, on(heldOut, name, Proposal::proposesTask))));
        int n = makers.ours().points().size();
        return new SuiteResult.SuiteTable("all rows of both files that propose a task, one trace held out", n, rows);
    }

    /** Returns Table 2 of the paper; accuracy is computed from the agreement of its four categories. */
    private static List<SuiteRow> published() {
        return List.of(
                published("GPT-4o", 50.42, 100.00, 67.04, 50.83),
                published("GPT-4o-mini", 56.58, 71.67, 63.24, 58.33),
                published("LLaMA-3.1-8B", 54.29, 63.33, 58.46, 55.00),
                published("LLaMA-3.1-70B", 53.40, 91.67, 67.48, 55.83),
                published("the paper's reward model" + RELEASED, 90.32, 93.33, 91.80, 91.67));
    }

    private static SuiteRow published(String name, double precision, double recall, double f1, double accuracy) {
        return new SuiteRow(
                name,
                SuiteRow.Kind.PUBLISHED,
                false,
                120,
                precision,
                recall,
                null,
                f1,
                null,
                accuracy,
                null,
                null,
                100 - precision,
                null,
                null,
                null,
                null);
    }

    private String agreement(Scored ours) {
        Map<String, List<Boolean>> right = new LinkedHashMap<>();
        List<Proposal> test = proposals.stream().filter(Proposal::test).toList();
        for (int i = 0; i < test.size(); i++) {
            boolean agrees = ours.decisions()[i] == test.get(i).point().helpNeeded();
            right.computeIfAbsent(test.get(i).category(), none -> new ArrayList<>())
                    .add(agrees);
        }
        return "Agreement of the primary row by released category: "
                + right.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(entry -> entry.getKey() + " "
                                + String.format(
                                        Locale.ROOT,
                                        "%.2f",
                                        100.0
                                                * entry.getValue().stream()
                                                        .filter(agrees -> agrees)
                                                        .count()
                                                / entry.getValue().size()))
                        .collect(Collectors.joining("; "));
    }

    /** Scores every row by a model trained without its trace. */
    private Scored heldOut(String name, GateTrainer trainer) {
        List<DecisionPoint> all = points(proposal -> true);
        double[] scores = new double[all.size()];
        Map<String, List<Integer>> traces = NestedFolds.positionsByKey(DecisionPoint.groups(all));
        try (Progress progress = Progress.start(name, traces.size())) {
            traces.forEach((trace, held) -> {
                List<DecisionPoint> others = all.stream()
                        .filter(point -> !point.group().equals(trace))
                        .toList();
                double[] values =
                        trainer.train(others).score(held.stream().map(all::get).toList());
                IntStream.range(0, values.length).forEach(k -> scores[held.get(k)] = values[k]);
                progress.step();
            });
        }
        return halved(all, scores);
    }

    private static Scored halved(List<DecisionPoint> points, double[] scores) {
        return Scored.thresholded(
                points,
                scores,
                IntStream.range(0, scores.length)
                        .mapToDouble(i -> SuiteRows.OVERSAMPLED)
                        .toArray());
    }

    private Scored on(Map<String, Scored> scores, String name, Predicate<Proposal> kept) {
        Scored all = scores.get(name);
        if (all == null) {
            throw new IllegalArgumentException("no gate '" + name + "', there are " + scores.keySet());
        }
        return all.at(IntStream.range(0, proposals.size())
                .filter(i -> kept.test(proposals.get(i)))
                .toArray());
    }

    /**
     * Looks test rows up in the training rows with the same observations. It accepts a null proposal iff no help is needed there,
     * and a task iff the most similar task (Jaccard index of words) was accepted.
     */
    private Scored leakProbe() {
        Map<List<DecisionPoint.Event>, List<Proposal>> known = proposals.stream()
                .filter(proposal -> !proposal.test())
                .collect(Collectors.groupingBy(proposal -> proposal.point().events()));
        List<Proposal> test = proposals.stream().filter(Proposal::test).toList();
        boolean[] accepts = new boolean[test.size()];
        for (int i = 0; i < accepts.length; i++) {
            Proposal row = test.get(i);
            Stream<Proposal> siblings = known.getOrDefault(row.point().events(), List.of()).stream();
            accepts[i] = row.proposesTask()
                    ? siblings.filter(Proposal::proposesTask)
                            .max(Comparator.comparingDouble(sibling -> likeness(sibling.task(), row.task())))
                            .map(sibling -> sibling.point().helpNeeded())
                            .orElse(false)
                    : siblings.findFirst().map(sibling -> !sibling.helpNeeded()).orElse(false);
        }
        return new Scored(points(Proposal::test), null, accepts);
    }

    private static double likeness(String a, String b) {
        Set<String> all = new HashSet<>(TextAnalyzer.WORDS.terms(a));
        Set<String> both = new HashSet<>(all);
        Set<String> other = Set.copyOf(TextAnalyzer.WORDS.terms(b));
        both.retainAll(other);
        all.addAll(other);
        return all.isEmpty() ? 0 : (double) both.size() / all.size();
    }

    private List<DecisionPoint> points(Predicate<Proposal> kept) {
        return proposals.stream().filter(kept).map(Proposal::point).toList();
    }

    /**
     * Reads the files in {@code reward_data/}.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 for an invalid line, or a file without rows
     */
    static ProactiveBenchTasks read(DataFolder data) {
        Path folder = data.find("reward_data");
        List<Proposal> proposals = new ArrayList<>();
        for (String name : ProactiveBench.FILES) {
            BenchmarkFile file = data.file(folder.resolve(name));
            List<JsonNode> rows = file.lines();
            for (int i = 0; i < rows.size(); i++) {
                proposals.add(proposal(file, "line " + (i + 1), rows.get(i), name.startsWith("test")));
            }
            if (rows.isEmpty()) {
                throw file.bad("as a whole", "holds no rows");
            }
        }
        return new ProactiveBenchTasks(List.copyOf(proposals));
    }

    private static Proposal proposal(BenchmarkFile file, String place, JsonNode row, boolean test) {
        DecisionPoint moment = ProactiveBench.point(file, place, row);
        JsonNode valid = row.path("valid");
        file.require(valid.isBoolean(), place + "/valid", valid, "true or false");
        JsonNode task = row.path("pred_task");
        file.require(
                task.isNull() || (task.isTextual() && !task.textValue().isBlank()),
                place + "/pred_task",
                task,
                "a text that is not blank, or null");
        List<String> context = task.isNull() ? List.of() : List.of("", task.textValue(), "");
        return new Proposal(
                new DecisionPoint(moment.group(), context, moment.events(), valid.booleanValue()),
                test,
                moment.helpNeeded(),
                file.words(row, "category", place, "one of the four situations"));
    }

    /** Trains gates that accept or reject a proposal. A point's context is the proposed task; a point without context proposes nothing. */
    static final class ProposalHeads {
        private static final List<String> NOTHING = List.of("", "NothingProposed", "");

        private ProposalHeads() {}

        /** Trains one gate for points without a proposal, and one for points with a task. */
        static GateTrainer two(GateTrainer trainer) {
            return points -> {
                GateTrainer.Gate none = trainer.train(points.stream()
                        .filter(point -> point.context().isEmpty())
                        .toList());
                GateTrainer.Gate task = trainer.train(points.stream()
                        .filter(point -> !point.context().isEmpty())
                        .toList());
                return test -> {
                    double[] scores = new double[test.size()];
                    for (boolean proposes : new boolean[] {false, true}) {
                        int[] at = IntStream.range(0, scores.length)
                                .filter(i -> test.get(i).context().isEmpty() != proposes)
                                .toArray();
                        List<DecisionPoint> selected =
                                IntStream.of(at).mapToObj(test::get).toList();
                        double[] values = selected.isEmpty() ? new double[0] : (proposes ? task : none).score(selected);
                        IntStream.range(0, at.length).forEach(k -> scores[at[k]] = values[k]);
                    }
                    return scores;
                };
            };
        }

        /** Trains one gate for all points; an empty proposal is encoded as a special word. */
        static GateTrainer one(GateTrainer trainer) {
            return points -> {
                GateTrainer.Gate gate = trainer.train(withEmptyProposals(points));
                return test -> gate.score(withEmptyProposals(test));
            };
        }

        private static List<DecisionPoint> withEmptyProposals(List<DecisionPoint> points) {
            return points.stream()
                    .map(point -> point.context().isEmpty()
                            ? new DecisionPoint(point.group(), NOTHING, point.events(), point.helpNeeded())
                            : point)
                    .toList();
        }
    }
}
