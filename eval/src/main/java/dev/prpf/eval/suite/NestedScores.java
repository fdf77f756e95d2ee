package dev.prpf.eval.suite;

import dev.prpf.base.run.Progress;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.ensemble.OutOfFold;
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
 * The out-of-fold scores of one gate, for decisions and for choices made before them ({@link NestedFolds}).
 *
 * @param outer one score per point, by the model without its fold
 * @param inner one array per outer split: a score for each point outside it, in order, by models trained without its inner fold
 *     and the split
 */
record NestedScores(List<DecisionPoint> points, NestedFolds folds, double[] outer, List<double[]> inner) {
    /** Chooses a threshold from inner scores and their labels; a gate triggers iff its score is at least the threshold. */
    @FunctionalInterface
    interface DecisionRule {
        double threshold(double[] scores, boolean[] labels);
    }

    /** Trains variants of a gate on some points and returns probabilities of others, shape (variants, held). */
    @FunctionalInterface
    interface Variants {
        double[][] scores(int[] training, int[] held);
    }

    /** Trains every model; models without the same points are trained once. */
    static NestedScores of(List<DecisionPoint> points, NestedFolds folds, GateTrainer trainer, String task) {
        Variants single = (training, held) ->
                new double[][] {trainer.train(at(points, training)).score(at(points, held))};
        return best(points, folds, single, task);
    }

    private static List<DecisionPoint> at(List<DecisionPoint> points, int[] positions) {
        return IntStream.of(positions).mapToObj(points::get).toList();
    }

    /** Trains every variant of every model; each outer split takes the variant with the least log loss on its inner scores. */
    static NestedScores best(List<DecisionPoint> points, NestedFolds folds, Variants variants, String task) {
        Map<List<Integer>, double[][]> byHeld = new LinkedHashMap<>(); // positions held out -> (variants, positions)
        for (NestedFolds.OuterSplit split : folds.splits()) {
            split.inner().forEach(fold -> byHeld.put(split.heldWith(fold), new double[0][]));
            split.folds().forEach(fold -> byHeld.put(fold, new double[0][]));
        }
        try (Progress progress = Progress.start(task, byHeld.size())) {
            byHeld.replaceAll((held, none) -> {
                int[] training = IntStream.range(0, points.size())
                        .filter(i -> !held.contains(i))
                        .toArray();
                double[][] scores = variants.scores(training, array(held));
                progress.step();
                return scores;
            });
        }
        double[] outer = new double[points.size()];
        List<double[]> inner = new ArrayList<>();
        for (NestedFolds.OuterSplit split : folds.splits()) {
            double[][] all = innerScores(split, byHeld, points.size());
            int best = OutOfFold.best(all, Scored.labels(at(points, array(split.outside()))));
            inner.add(all[best]);
            split.folds().forEach(fold -> place(scores(byHeld, fold)[best], fold, outer));
        }
        return new NestedScores(points, folds, outer, inner);
    }

    /** Returns each variant's scores of the points outside a split, shape (variants, outside). */
    private static double[][] innerScores(
            NestedFolds.OuterSplit split, Map<List<Integer>, double[][]> byHeld, int size) {
        int count = scores(byHeld, split.folds().get(0)).length;
        double[][] inner = new double[count][];
        for (int variant = 0; variant < count; variant++) {
            double[] placed = new double[size];
            for (List<Integer> fold : split.inner()) {
                List<Integer> held = split.heldWith(fold);
                double[] all = new double[size];
                place(scores(byHeld, held)[variant], held, all);
                copy(fold, all, placed);
            }
            inner[variant] =
                    split.outside().stream().mapToDouble(i -> placed[i]).toArray();
        }
        return inner;
    }

    private static double[][] scores(Map<List<Integer>, double[][]> byHeld, List<Integer> held) {
        return Objects.requireNonNull(byHeld.get(held));
    }

    private static int[] array(List<Integer> positions) {
        return positions.stream().mapToInt(Integer::intValue).toArray();
    }

    private static void place(double[] values, List<Integer> positions, double[] to) {
        for (int k = 0; k < values.length; k++) {
            to[positions.get(k)] = values[k];
        }
    }

    private static void copy(List<Integer> positions, double[] from, double[] to) {
        positions.forEach(i -> to[i] = from[i]);
    }

    Scored at(double threshold) {
        return by((scores, labels) -> threshold);
    }

    /** Returns the decisions at thresholds that the rule chooses on inner scores. */
    Scored by(DecisionRule rule) {
        double[] thresholds = new double[points.size()];
        for (int s = 0; s < inner.size(); s++) {
            double threshold = rule.threshold(inner.get(s), innerLabels(s));
            folds.splits().get(s).held().forEach(i -> thresholds[i] = threshold);
        }
        return Scored.thresholded(points, outer, thresholds);
    }

    /** Combines several gates' scores by an ensemble fitted on each outer split's inner scores. */
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

    /** Returns the mean area under the ROC curve of inner scores over the outer splits; null if a split has only one class. */
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

    /** Returns the labels of the points outside an outer split, in the points' order. */
    boolean[] innerLabels(int split) {
        return Scored.labels(
                folds.splits().get(split).outside().stream().map(points::get).toList());
    }
}
