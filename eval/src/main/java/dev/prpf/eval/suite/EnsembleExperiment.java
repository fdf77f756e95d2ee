package dev.prpf.eval.suite;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.mpp.ensemble.LinearInput;
import dev.prpf.mpp.ensemble.MemberPlan;
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
import java.util.stream.Stream;

/**
 * The tables of a suite with a mixture as primary gate: linear members of {@code gate train --ensemble}, weighted on inner scores.
 * Members are a logistic regression per encoder, one on all encoders, and one on TF-IDF. The mixture is the same for every suite.
 * The result has all gates' inner scores; benchmarks/gate/README.md lists the outer scores known at its choice.
 */
record EnsembleExperiment(
        String suite,
        List<DecisionPoint> points,
        NestedFolds folds,
        List<EventVectors> encoders,
        Map<String, NestedScores> gates) {
    static final String MPP = "MPP";
    static final String TF_IDF = MemberPlan.TERMS;
    static final String NAIVE_BAYES = "naive Bayes";
    static final String MIXTURE = "mixture";
    static final String WITH_MPP = "mixture with MPP";

    /** Strengths C; each outer split takes the one with the least log loss on its inner scores. */
    private static final List<Double> STRENGTHS = List.of(0.1, 0.3, 1.0, 3.0, 10.0, 30.0);

    /**
     * The rule that turns scores into decisions.
     *
     * @param name suffix of a gate's name, such as ", highest F1 inside"
     */
    record Threshold(String name, NestedScores.DecisionRule rule) {
        static final Threshold HIGHEST_F1 = new Threshold(", highest F1 inside", RocCurve::highestF1);

        /** Returns the rule of maximum recall within a false-trigger rate in percent, on inner points. */
        static Threshold within(int ftr) {
            return new Threshold(
                    ", FTR <= " + ftr + " inside", (scores, labels) -> RocCurve.mostRecallWithin(ftr, scores, labels));
        }
    }

    EnsembleExperiment(String suite, List<DecisionPoint> points, NestedFolds folds, List<EventVectors> encoders) {
        this(suite, points, folds, List.copyOf(encoders), new LinkedHashMap<>());
    }

    /** Trains the perceiver, the baselines and the members, and fits the mixtures with and without the perceiver. */
    EnsembleExperiment train(GateTrainer perceiver) {
        train(MPP, perceiver).train(NAIVE_BAYES, BaselineGates.naiveBayes()).train(TF_IDF, BaselineGates.tfIdf());
        LinearInput input =
                LinearInput.of(points.stream().map(DecisionPoint::texts).toList(), encoders);
        MemberPlan.Targets targets = new MemberPlan.Targets(Scored.labels(points), new boolean[points.size()][0]);
        for (MemberPlan plan : plans()) {
            NestedScores.Variants variants = (training, held) -> plan.scores(input, targets, training, held);
            gates.put(plan.name(), NestedScores.best(points, folds, variants, suite + ": " + plan.name()));
        }
        return mix(MIXTURE, members()).mix(WITH_MPP, with(MPP));
    }

    EnsembleExperiment train(String gate, GateTrainer trainer) {
        gates.put(gate, NestedScores.of(points, folds, trainer, suite + ": " + gate));
        return this;
    }

    /** Combines trained gates into one, weighted on each outer split's inner scores. */
    EnsembleExperiment mix(String name, List<String> members) {
        gates.put(name, NestedScores.ensemble(gates(members), ScoreEnsemble::weighted));
        return this;
    }

    private List<MemberPlan> plans() {
        return MemberPlan.ofVectors(encoders.stream().map(EventVectors::name).toList(), STRENGTHS);
    }

    List<String> members() {
        return Stream.concat(plans().stream().map(MemberPlan::name), Stream.of(TF_IDF))
                .toList();
    }

    /** Returns the names of the mixture's members and another gate. */
    List<String> with(String gate) {
        return Stream.concat(members().stream(), Stream.of(gate)).toList();
    }

    /**
     * Returns the tables of the suite.
     *
     * @param note a note for readers; the weights of the mixture are added
     */
    SuiteResult result(String title, Threshold threshold, String note) {
        SuiteRows makers = new SuiteRows(Bootstrap.DEFAULT, decisions(MIXTURE, threshold));
        List<SuiteRow> rows = new ArrayList<>();
        rows.add(makers.primary(MIXTURE + threshold.name()));
        rows.addAll(others(makers, threshold));
        SuiteResult.SuiteTable table = new SuiteResult.SuiteTable(title, points.size(), rows);
        return new SuiteResult(suite, encoderIds(), null, table, List.of(), inner(), List.of(note, weights()));
    }

    /** Returns the other rows: mixture with perceiver, perceiver, and baselines and members at one half and inner thresholds. */
    List<SuiteRow> others(SuiteRows makers, Threshold threshold) {
        List<SuiteRow> rows = new ArrayList<>();
        for (String ours : List.of(WITH_MPP, MPP)) {
            rows.add(makers.row(ours + threshold.name(), SuiteRow.Kind.OURS, decisions(ours, threshold)));
        }
        rows.addAll(makers.trivial());
        for (String baseline : Stream.concat(
                        Stream.of(NAIVE_BAYES, TF_IDF), plans().stream().map(MemberPlan::name))
                .toList()) {
            rows.addAll(makers.twoThresholds(baseline, gate(baseline), threshold));
        }
        return rows;
    }

    Scored decisions(String gate, Threshold threshold) {
        return gate(gate).by(threshold.rule());
    }

    String encoderIds() {
        return encoders.stream().map(EventVectors::encoder).collect(Collectors.joining(", "));
    }

    /** Returns every gate's area on inner folds. */
    List<SuiteResult.InnerScore> inner() {
        List<SuiteResult.InnerScore> inner = new ArrayList<>();
        gates.forEach((name, scores) -> inner.add(new SuiteResult.InnerScore(name, scores.meanInnerArea())));
        return inner;
    }

    String weights() {
        return "Weights of the mixture, chosen on inner folds for each outer split, of " + String.join(", ", members())
                + ": "
                + NestedScores.ensembles(gates(members()), ScoreEnsemble::weighted).stream()
                        .map(ensemble -> DoubleStream.of(ensemble.weights())
                                .mapToObj(weight -> String.format(Locale.ROOT, "%.2f", weight))
                                .collect(Collectors.joining(" ")))
                        .collect(Collectors.joining("; "));
    }

    private List<NestedScores> gates(List<String> names) {
        return names.stream().map(this::gate).toList();
    }

    private NestedScores gate(String gate) {
        NestedScores scores = gates.get(gate);
        if (scores == null) {
            throw new IllegalArgumentException("no gate '" + gate + "', there are " + gates.keySet());
        }
        return scores;
    }
}
