package dev.prpf.eval.suite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * A suite whose primary gate mixes several gates: ours and each baseline scored on the same nested folds. Which gates are mixed is fixed
 * in the suite's code, by inner scores alone, which are part of the result; docs/SUITES.md says what outer scores were known then.
 */
final class MixedGateSuite {
    static final GroupBootstrap BOOTSTRAP = new GroupBootstrap(2_000, 42);

    private static final String INSIDE = ", highest F1 inside";
    private static final DecisionRule RULE = DecisionRule.highestF1();
    private static final Mixture.Rule EQUAL = (scores, labels) -> Mixture.fit(scores);
    private static final String MPP = "MPP";
    private static final String TF_IDF = "TF-IDF + LR";
    private static final String BGE = "BGE + LR";
    private static final String NAIVE_BAYES = "naive Bayes";

    private final String name;
    private final String title;
    private final List<DecisionPoint> points;
    private final NestedFolds folds;
    private final Map<String, NestedScores> gates = new LinkedHashMap<>();
    private Mixture.Rule rule = EQUAL;

    /**
     * A suite of which no gate is trained yet.
     *
     * @param name the suite's
     * @param title what its points are
     * @param points every point
     * @param folds who is held out of what
     */
    MixedGateSuite(String name, String title, List<DecisionPoint> points, NestedFolds folds) {
        this.name = name;
        this.title = title;
        this.points = points;
        this.folds = folds;
    }

    /** Trains the perceiver and the baselines that every such suite has. */
    MixedGateSuite train(GateTrainer perceiver, EventVectors vectors) {
        return train(MPP, perceiver)
                .train(TF_IDF, Baselines.tfIdf())
                .train(NAIVE_BAYES, Baselines.naiveBayes())
                .train(BGE, Baselines.embedding(vectors));
    }

    /** Trains a gate on every fold. */
    MixedGateSuite train(String gate, GateTrainer trainer) {
        gates.put(gate, NestedScores.of(points, folds, trainer, name + ": " + gate));
        return this;
    }

    /** From here on mixtures have the weights that are best on each part's inner scores, not equal ones. */
    MixedGateSuite chooseWeights() {
        rule = Mixture::chosen;
        return this;
    }

    /**
     * The tables.
     *
     * @param mixtures lists of names of trained gates; the first is the primary gate, all are among the inner scores
     * @param notes what a reader must know; the primary gate's weights are added where they are chosen
     */
    SuiteResult result(List<List<String>> mixtures, List<String> notes) {
        Map<String, NestedScores> mixed = new LinkedHashMap<>();
        mixtures.forEach(names -> mixed.put(mixtureName(names), NestedScores.mixed(gates(names), rule)));
        String primary = mixtureName(mixtures.get(0));
        Scored ours = scores(mixed, primary).by(RULE);
        SuiteRows makers = new SuiteRows(BOOTSTRAP, ours);
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(primary + INSIDE));
        rows.add(makers.row(MPP + INSIDE, SuiteRow.Kind.OURS, gate(MPP).by(RULE)));
        rows.addAll(makers.trivial());
        for (String baseline : List.of(NAIVE_BAYES, TF_IDF, BGE)) {
            rows.addAll(makers.twoThresholds(baseline, gate(baseline), RULE, INSIDE));
        }
        return new SuiteResult(
                name,
                new SuiteResult.Table(title, points.size(), rows),
                List.of(),
                inner(mixed),
                withWeights(notes, mixtures.get(0)));
    }

    private List<SuiteResult.InnerScore> inner(Map<String, NestedScores> mixed) {
        Map<String, NestedScores> all = new LinkedHashMap<>(gates);
        all.putAll(mixed);
        return all.entrySet().stream()
                .map(entry -> new SuiteResult.InnerScore(
                        entry.getKey(), entry.getValue().meanInnerArea()))
                .toList();
    }

    private List<String> withWeights(List<String> notes, List<String> primary) {
        if (rule == EQUAL) {
            return notes;
        }
        List<String> all = new ArrayList<>(notes);
        all.add("Weights of the primary gate, chosen on inner folds for each fold held out, of "
                + String.join(", ", primary)
                + ": "
                + NestedScores.mixtures(gates(primary), rule).stream()
                        .map(MixedGateSuite::weights)
                        .collect(Collectors.joining("; ")));
        return all;
    }

    private static String weights(Mixture mixture) {
        return DoubleStream.of(mixture.weights())
                .mapToObj(weight -> String.format(Locale.ROOT, "%.2f", weight))
                .collect(Collectors.joining(" "));
    }

    private List<NestedScores> gates(List<String> names) {
        return names.stream().map(this::gate).toList();
    }

    private NestedScores gate(String gate) {
        return scores(gates, gate);
    }

    private static NestedScores scores(Map<String, NestedScores> all, String gate) {
        NestedScores scores = all.get(gate);
        if (scores == null) {
            throw new IllegalArgumentException("no gate '" + gate + "', there are " + all.keySet());
        }
        return scores;
    }

    private static String mixtureName(List<String> gates) {
        return gates.size() == 1 ? gates.get(0) : String.join(" and ", gates) + ", mixed";
    }
}
