package dev.prpf.eval.suite;

import dev.prpf.base.run.Progress;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one gate says of every point when trained without it, for the decisions and for the choices before them ({@link NestedFolds}).
 *
 * @param points every point
 * @param folds who is held out of what
 * @param outer one score a point, by the model without its fold
 * @param inner one array a part: a score for each point outside the part, in the points' order, by models that saw neither its inner fold
 *     nor the part
 */
record NestedScores(List<DecisionPoint> points, NestedFolds folds, double[] outer, List<double[]> inner) {
    NestedScores {
        points = List.copyOf(points);
        inner = List.copyOf(inner);
    }

    /** Scores without inner ones, for a gate whose threshold is fixed beforehand. */
    static NestedScores outerOnly(List<DecisionPoint> points, NestedFolds folds, GateTrainer trainer) {
        return new NestedScores(points, folds, outerScores(points, folds, trainer), List.of());
    }

    /**
     * Trains every model; models without the same points are trained once.
     *
     * @param task what the progress bar calls it
     */
    static NestedScores of(List<DecisionPoint> points, NestedFolds folds, GateTrainer trainer, String task) {
        long models = heldOut(folds).distinct().count();
        try (Progress progress = Progress.start(task, models)) {
            GateTrainer counted = training -> {
                GateTrainer.Gate gate = trainer.train(training);
                progress.step();
                return gate;
            };
            Map<List<Integer>, double[]> done = new HashMap<>();
            List<double[]> inner = new ArrayList<>();
            for (NestedFolds.Part part : folds.parts()) {
                double[] scores = new double[points.size()];
                for (List<Integer> fold : part.inner()) {
                    double[] both =
                            done.computeIfAbsent(without(part, fold), held -> scoresWithout(points, held, counted));
                    fold.forEach(i -> scores[i] = both[i]);
                }
                inner.add(at(outside(part), scores));
            }
            return new NestedScores(points, folds, outerScores(points, folds, counted), inner);
        }
    }

    private static Stream<List<Integer>> heldOut(NestedFolds folds) {
        return folds.parts().stream()
                .flatMap(part -> Stream.concat(
                        part.folds().stream(), part.inner().stream().map(fold -> without(part, fold))));
    }

    private static List<Integer> without(NestedFolds.Part part, List<Integer> innerFold) {
        return Stream.concat(part.positions().stream(), innerFold.stream())
                .sorted()
                .toList();
    }

    private static double[] outerScores(List<DecisionPoint> points, NestedFolds folds, GateTrainer trainer) {
        double[] scores = new double[points.size()];
        for (NestedFolds.Part part : folds.parts()) {
            for (List<Integer> fold : part.folds()) {
                double[] held = scoresWithout(points, fold, trainer);
                fold.forEach(i -> scores[i] = held[i]);
            }
        }
        return scores;
    }

    /** Trains on all other points and scores the held ones in their places, shape (n). */
    private static double[] scoresWithout(List<DecisionPoint> points, List<Integer> held, GateTrainer trainer) {
        boolean[] out = new boolean[points.size()];
        held.forEach(i -> out[i] = true);
        List<DecisionPoint> training = new ArrayList<>();
        for (int i = 0; i < out.length; i++) {
            if (!out[i]) {
                training.add(points.get(i));
            }
        }
        double[] values =
                trainer.train(training).score(held.stream().map(points::get).toList());
        double[] scores = new double[points.size()];
        for (int k = 0; k < values.length; k++) {
            scores[held.get(k)] = values[k];
        }
        return scores;
    }

    /** Decisions at a threshold fixed beforehand. */
    Scored at(double threshold) {
        double[] thresholds = new double[points.size()];
        Arrays.fill(thresholds, threshold);
        return Scored.thresholded(points, outer, thresholds);
    }

    /** Decisions at the thresholds that the rule chooses on inner scores. */
    Scored by(DecisionRule rule) {
        double[] thresholds = new double[points.size()];
        for (int p = 0; p < inner.size(); p++) {
            NestedFolds.Part part = folds.parts().get(p);
            double threshold = rule.threshold(inner.get(p), innerLabels(p));
            part.positions().forEach(i -> thresholds[i] = threshold);
        }
        return Scored.thresholded(points, outer, thresholds);
    }

    /** Several gates' scores as one, mixed as the rule makes of each part's inner scores. */
    static NestedScores mixed(List<NestedScores> gates, Mixture.Rule rule) {
        NestedScores first = gates.get(0);
        List<Mixture> mixtures = mixtures(gates, rule);
        double[] outer = new double[first.outer().length];
        List<double[]> inner = new ArrayList<>();
        double[][] outers = gates.stream().map(NestedScores::outer).toArray(double[][]::new);
        for (int p = 0; p < first.inner().size(); p++) {
            double[][] inners = inners(gates, p);
            inner.add(mixtures.get(p).apply(inners));
            double[] all = mixtures.get(p).apply(outers);
            first.folds().parts().get(p).positions().forEach(i -> outer[i] = all[i]);
        }
        return new NestedScores(first.points(), first.folds(), outer, inner);
    }

    /** The mixture of each part. */
    static List<Mixture> mixtures(List<NestedScores> gates, Mixture.Rule rule) {
        NestedScores first = gates.get(0);
        return IntStream.range(0, first.inner().size())
                .mapToObj(part -> rule.mixture(inners(gates, part), first.innerLabels(part)))
                .toList();
    }

    private static double[][] inners(List<NestedScores> gates, int part) {
        return gates.stream().map(gate -> gate.inner().get(part)).toArray(double[][]::new);
    }

    /** Mean over the parts of the area under the ROC curve of their inner scores; null if a part's inner points are all of one class. */
    @Nullable
    Double meanInnerArea() {
        double sum = 0;
        for (int p = 0; p < inner.size(); p++) {
            Double area = RocCurve.area(inner.get(p), innerLabels(p));
            if (area == null) {
                return null;
            }
            sum += area;
        }
        return inner.isEmpty() ? null : Double.valueOf(sum / inner.size());
    }

    /** Labels of the points outside a part, in the points' order. */
    boolean[] innerLabels(int part) {
        return Scored.labels(
                outside(folds.parts().get(part)).stream().map(points::get).toList());
    }

    private static List<Integer> outside(NestedFolds.Part part) {
        return part.inner().stream().flatMap(List::stream).sorted().toList();
    }

    private static double[] at(List<Integer> positions, double[] scores) {
        return positions.stream().mapToDouble(i -> scores[i]).toArray();
    }
}
