package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.mpp.gate.RocCurve;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Out-of-fold scores of the members on the training samples; the ensemble is fitted on them.
 *
 * @param scores probabilities, shape (members, n)
 * @param labels one for each sample
 * @param folds the fold of each sample
 */
public record OutOfFold(double[][] scores, boolean[] labels, int[] folds) {
    private static final double CLOSEST = 1e-9;

    public OutOfFold {
        for (double[] member : scores) {
            Rule.require(member.length == labels.length, "scores of a member", member.length, "the number of labels");
        }
        Rule.require(folds.length == labels.length, "folds", folds.length, "the number of labels");
    }

    /**
     * Returns the index of the first row of least log loss, with balanced classes like the regressions.
     *
     * @param scores probabilities, one row for each C, shape (C, n)
     */
    public static int best(double[][] scores, boolean[] labels) {
        int best = 0;
        for (int row = 1; row < scores.length; row++) {
            if (logLoss(scores[row], labels) < logLoss(scores[best], labels)) {
                best = row;
            }
        }
        return best;
    }

    /** The mean log loss of each class, averaged over the classes that occur. */
    static double logLoss(double[] probabilities, boolean[] labels) {
        double[] sums = new double[2];
        int[] counts = new int[2];
        for (int i = 0; i < labels.length; i++) {
            int label = labels[i] ? 1 : 0;
            double right = labels[i] ? probabilities[i] : 1 - probabilities[i];
            sums[label] -= Math.log(Math.max(right, CLOSEST));
            counts[label]++;
        }
        return IntStream.of(0, 1)
                .filter(label -> counts[label] > 0)
                .mapToDouble(label -> sums[label] / counts[label])
                .average()
                .orElse(0);
    }

    /** Returns the mixture with the largest area under the curve on all folds, see {@link ScoreEnsemble#weighted}. */
    public ScoreEnsemble mixture() {
        return ScoreEnsemble.weighted(scores, labels);
    }

    /** The mixture's score of each sample, its weights fitted on the other folds; shape (n). */
    public double[] mixed() {
        double[] mixed = new double[labels.length];
        for (int fold : IntStream.of(folds).distinct().toArray()) {
            int[] others = places(i -> folds[i] != fold);
            int[] own = places(i -> folds[i] == fold);
            double[] answers =
                    ScoreEnsemble.weighted(at(others), at(labels, others)).apply(at(own));
            IntStream.range(0, own.length).forEach(k -> mixed[own[k]] = answers[k]);
        }
        return mixed;
    }

    static boolean[] at(boolean[] labels, int[] places) {
        boolean[] some = new boolean[places.length];
        IntStream.range(0, places.length).forEach(k -> some[k] = labels[places[k]]);
        return some;
    }

    private int[] places(IntPredicate wanted) {
        return IntStream.range(0, labels.length).filter(wanted).toArray();
    }

    private double[][] at(int[] places) {
        return Arrays.stream(scores)
                .map(member -> IntStream.of(places).mapToDouble(i -> member[i]).toArray())
                .toArray(double[][]::new);
    }

    /** Fits the map from a mixture's score to log-odds on held-out scores (Platt, 1999), with balanced classes. */
    public static LogisticRegression scale(double[] mixed, boolean[] labels) {
        return LogisticRegression.fit(row(mixed), labels, 1);
    }

    private static List<SparseVector> row(double[] scores) {
        return DoubleStream.of(scores)
                .mapToObj(score -> new SparseVector(new int[] {0}, new double[] {score}))
                .toList();
    }

    /**
     * Returns the area under the ROC curve with its interval by a bootstrap over groups.
     *
     * @param groups equal for near-duplicates, which depend on each other
     */
    public static Figure area(double[] scores, boolean[] labels, List<Integer> groups) {
        List<List<Integer>> places = List.copyOf(
                NestedFolds.positionsByKey(groups.stream().map(String::valueOf).toList())
                        .values());
        List<@Nullable Interval> intervals = Bootstrap.DEFAULT.ofGroups(
                places.size(), times -> new double[] {area(scores, labels, Bootstrap.drawn(places, times))});
        double area = area(scores, labels, IntStream.range(0, labels.length).toArray());
        return new Figure(area, intervals.get(0));
    }

    private static double area(double[] scores, boolean[] labels, int[] places) {
        Double area =
                RocCurve.area(IntStream.of(places).mapToDouble(i -> scores[i]).toArray(), at(labels, places));
        return area == null ? Double.NaN : area;
    }

    /** A figure with its 95 percent interval, null if no draw has a value. */
    public record Figure(double value, @Nullable Interval interval) {}
}
