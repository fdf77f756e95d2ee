package dev.prpf.eval.suite;

import dev.prpf.base.run.Progress;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.ensemble.ScoreEnsemble;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One gate's scores of every point when trained without it, for the decisions and for the choices before them ({@link NestedFolds}).
 *
 * @param outer one score a point, by the model without its fold
 * @param inner one array an outer split: a score for each point outside the split, in the points' order, by models that saw neither its
 *     inner fold nor the split
 */
record NestedScores(List<DecisionPoint> points, NestedFolds folds, double[] outer, List<double[]> inner) {
    /** How a threshold follows from inner scores and their labels; a gate triggers iff its score is at least that. */
    @FunctionalInterface
    interface DecisionRule {
        double threshold(double[] scores, boolean[] labels);
    }

    /** Trains every model; models without the same points are trained once. */
    static NestedScores of(List<DecisionPoint> points, NestedFolds folds, GateTrainer trainer, String task) {
        Map<List<Integer>, double[]> byHeld =
                new LinkedHashMap<>(); // positions held out -> their scores, in their places
        for (NestedFolds.OuterSplit split : folds.splits()) {
            split.inner().forEach(fold -> byHeld.put(split.heldWith(fold), new double[0]));
            split.folds().forEach(fold -> byHeld.put(fold, new double[0]));
        }
        try (Progress progress = Progress.start(task, byHeld.size())) {
            byHeld.replaceAll((held, none) -> {
                double[] scores = scoresWithout(points, held, trainer);
                progress.step();
                return scores;
            });
        }
        double[] outer = new double[points.size()];
        List<double[]> inner = new ArrayList<>();
        for (NestedFolds.OuterSplit split : folds.splits()) {
            split.folds().forEach(fold -> copy(fold, byHeld.get(fold), outer));
            double[] scores = new double[points.size()];
            split.inner().forEach(fold -> copy(fold, byHeld.get(split.heldWith(fold)), scores));
            inner.add(split.outside().stream().mapToDouble(i -> scores[i]).toArray());
        }
        return new NestedScores(points, folds, outer, inner);
    }

    private static void copy(List<Integer> positions, double @Nullable [] from, double[] to) {
        double[] scores = Objects.requireNonNull(from);
        positions.forEach(i -> to[i] = scores[i]);
    }

    /** Trains on all other points and scores the held ones in their places, shape (n). */
    private static double[] scoresWithout(List<DecisionPoint> points, List<Integer> held, GateTrainer trainer) {
        List<DecisionPoint> training = IntStream.range(0, points.size())
                .filter(i -> !held.contains(i))
                .mapToObj(points::get)
                .toList();
        double[] values =
                trainer.train(training).score(held.stream().map(points::get).toList());
        double[] scores = new double[points.size()];
        for (int k = 0; k < values.length; k++) {
            scores[held.get(k)] = values[k];
        }
        return scores;
    }

    Scored at(double threshold) {
        return by((scores, labels) -> threshold);
    }

    /** Decisions at the thresholds that the rule chooses on inner scores. */
    Scored by(DecisionRule rule) {
        double[] thresholds = new double[points.size()];
        for (int s = 0; s < inner.size(); s++) {
            double threshold = rule.threshold(inner.get(s), innerLabels(s));
            folds.splits().get(s).held().forEach(i -> thresholds[i] = threshold);
        }
        return Scored.thresholded(points, outer, thresholds);
    }

    /** Several gates' scores as one, by an ensemble fitted on each outer split's inner scores. */
    static NestedScores ensemble(List<NestedScores> gates, ScoreEnsemble.Rule rule) {
        NestedScores first = gates.get(0);
        List<ScoreEnsemble> ensembles = ensembles(gates, rule);
        double[] outer = new double[first.outer().length];
        List<double[]> inner = new ArrayList<>();
        double[][] outers = gates.stream().map(NestedScores::outer).toArray(double[][]::new);
        for (int s = 0; s < ensembles.size(); s++) {
            inner.add(ensembles.get(s).apply(inners(gates, s)));
            copy(first.folds().splits().get(s).held(), ensembles.get(s).apply(outers), outer);
        }
        return new NestedScores(first.points(), first.folds(), outer, inner);
    }

    static List<ScoreEnsemble> ensembles(List<NestedScores> gates, ScoreEnsemble.Rule rule) {
        NestedScores first = gates.get(0);
        return IntStream.range(0, first.inner().size())
                .mapToObj(split -> rule.fit(inners(gates, split), first.innerLabels(split)))
                .toList();
    }

    private static double[][] inners(List<NestedScores> gates, int split) {
        return gates.stream().map(gate -> gate.inner().get(split)).toArray(double[][]::new);
    }

    /** Mean over the outer splits of the area under the ROC curve of their inner scores; null if some split's have one class alone. */
    @Nullable
    Double meanInnerArea() {
        double sum = 0;
        for (int s = 0; s < inner.size(); s++) {
            Double area = RocCurve.area(inner.get(s), innerLabels(s));
            if (area == null) {
                return null;
            }
            sum += area;
        }
        return sum / inner.size();
    }

    /** Labels of the points outside an outer split, in the points' order. */
    boolean[] innerLabels(int split) {
        return Scored.labels(
                folds.splits().get(split).outside().stream().map(points::get).toList());
    }
}
