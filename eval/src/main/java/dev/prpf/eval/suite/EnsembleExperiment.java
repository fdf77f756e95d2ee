package dev.prpf.eval.suite;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.ensemble.ScoreEnsemble;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * The tables of a suite whose primary gate is an ensemble: ours and each baseline scored on the same nested folds. Which gates are in it is
 * fixed in the suite's code, by inner scores alone, which are part of the result; docs/SUITES.md says what outer scores were known then.
 *
 * @param gates the trained ones, by name
 */
record EnsembleExperiment(
        String suite,
        List<DecisionPoint> points,
        NestedFolds folds,
        EventVectors vectors,
        Map<String, NestedScores> gates) {
    static final String MPP = "MPP";
    static final String TF_IDF = "TF-IDF + LR";
    static final String NAIVE_BAYES = "naive Bayes";

    private static final String INSIDE = ", highest F1 inside";
    static final ScoreEnsemble.Rule EQUAL = (scores, labels) -> ScoreEnsemble.equal(scores);

    EnsembleExperiment(String suite, List<DecisionPoint> points, NestedFolds folds, EventVectors vectors) {
        this(suite, points, folds, vectors, new LinkedHashMap<>());
    }

    /** The name of logistic regression on the vectors. */
    String embedding() {
        return vectors.name() + " + LR";
    }

    /** Trains the perceiver and the baselines that every such suite has. */
    EnsembleExperiment train(GateTrainer perceiver) {
        return train(MPP, perceiver)
                .train(TF_IDF, Baselines.tfIdf())
                .train(NAIVE_BAYES, Baselines.naiveBayes())
                .train(embedding(), Baselines.embedding(vectors, 1));
    }

    /** Trains a gate on every fold. */
    EnsembleExperiment train(String gate, GateTrainer trainer) {
        gates.put(gate, NestedScores.of(points, folds, trainer, suite + ": " + gate));
        return this;
    }

    /**
     * The tables.
     *
     * @param title what the points are
     * @param ensembles lists of names of trained gates; the first is the primary gate, all are among the inner scores
     * @param rule makes the ensembles' weights from each outer split's inner scores
     * @param note what a reader must know; the primary gate's weights are added where they are chosen
     */
    SuiteResult result(String title, List<List<String>> ensembles, ScoreEnsemble.Rule rule, String note) {
        Map<String, NestedScores> all = new LinkedHashMap<>(gates);
        ensembles.forEach(names -> all.put(ensembleName(names), NestedScores.ensemble(gates(names), rule)));
        String primary = ensembleName(ensembles.get(0));
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, decisions(all, primary));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(primary + INSIDE));
        rows.add(makers.row(MPP + INSIDE, SuiteRow.Kind.OURS, decisions(gates, MPP)));
        rows.addAll(makers.trivial());
        for (String baseline : List.of(NAIVE_BAYES, TF_IDF, embedding())) {
            rows.addAll(makers.twoThresholds(baseline, gate(gates, baseline), RocCurve::highestF1, INSIDE));
        }
        List<SuiteResult.InnerScore> inner = new ArrayList<>();
        all.forEach((name, scores) -> inner.add(new SuiteResult.InnerScore(name, scores.meanInnerArea())));
        List<String> notes = rule == EQUAL ? List.of(note) : List.of(note, weights(ensembles.get(0), rule));
        SuiteResult.SuiteTable table = new SuiteResult.SuiteTable(title, points.size(), rows);
        return new SuiteResult(suite, vectors.encoder(), null, table, List.of(), inner, notes);
    }

    private String weights(List<String> names, ScoreEnsemble.Rule rule) {
        return "Weights of the primary gate, chosen on inner folds for each fold held out, of "
                + String.join(", ", names) + ": "
                + NestedScores.ensembles(gates(names), rule).stream()
                        .map(ensemble -> DoubleStream.of(ensemble.weights())
                                .mapToObj(weight -> String.format(Locale.ROOT, "%.2f", weight))
                                .collect(Collectors.joining(" ")))
                        .collect(Collectors.joining("; "));
    }

    private static Scored decisions(Map<String, NestedScores> all, String gate) {
        return gate(all, gate).by(RocCurve::highestF1);
    }

    private List<NestedScores> gates(List<String> names) {
        return names.stream().map(name -> gate(gates, name)).toList();
    }

    private static NestedScores gate(Map<String, NestedScores> all, String gate) {
        NestedScores scores = all.get(gate);
        if (scores == null) {
            throw new IllegalArgumentException("no gate '" + gate + "', there are " + all.keySet());
        }
        return scores;
    }

    /** As published results name it. */
    private static String ensembleName(List<String> gates) {
        return gates.size() == 1 ? gates.get(0) : String.join(" and ", gates) + ", mixed";
    }
}
