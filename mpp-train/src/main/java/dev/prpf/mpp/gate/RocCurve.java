package dev.prpf.mpp.gate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.ranking.NaturalRanking;
import org.apache.commons.math3.stat.ranking.TiesStrategy;
import org.jspecify.annotations.Nullable;

/** The receiver operating characteristic of scores against labels, and the precision-recall curve beside it. */
public final class RocCurve {
    private RocCurve() {}

    /** Area under the curve, 0 to 1: P(a positive scores above a negative), ties a half. Null if a class is missing. */
    public static @Nullable Double area(double[] scores, boolean[] labels) {
        long positives = positives(labels);
        long negatives = labels.length - positives;
        if (positives == 0 || negatives == 0) {
            return null;
        }
        double[] ranks = new NaturalRanking(TiesStrategy.AVERAGE).rank(scores);
        double rankSum = IntStream.range(0, ranks.length)
                .filter(i -> labels[i])
                .mapToDouble(i -> ranks[i])
                .sum();
        return (rankSum - positives * (positives + 1) / 2.0) / ((double) positives * negatives);
    }

    /**
     * The decision threshold (trigger iff score is at least it) of most recall among those whose false-trigger rate stays within the
     * limit; of equal recall the one of fewest false triggers. It lies midway between two scores, and is infinite (never trigger) if
     * only that keeps the limit.
     *
     * @param limit percent
     */
    public static double mostRecallWithin(double limit, double[] scores, boolean[] labels) {
        return best(
                scores,
                labels,
                (hits, falseTriggers, positives, negatives) -> 100.0 * falseTriggers > limit * negatives ? 0.0 : hits);
    }

    /**
     * The decision threshold (trigger iff score is at least it) of the highest F1; of equal ones the highest. It lies midway between two
     * scores, and is infinite (never trigger) if no label is positive.
     */
    public static double highestF1(double[] scores, boolean[] labels) {
        return best(
                scores,
                labels,
                (hits, falseTriggers, positives, negatives) -> 2.0 * hits / (hits + falseTriggers + positives));
    }

    /** A value made of the counts at a score. */
    @FunctionalInterface
    private interface AtScore<T> {
        T of(int hits, int falseTriggers, int positives, int negatives);
    }

    /** The highest threshold of the greatest merit; infinite where none is above 0. */
    private static double best(double[] scores, boolean[] labels, AtScore<Double> merit) {
        Integer[] order = ascending(scores);
        int positives = positives(labels);
        double threshold = Double.POSITIVE_INFINITY;
        double best = 0;
        int hits = 0;
        for (int i = order.length - 1; i >= 0; i--) {
            hits += labels[order[i]] ? 1 : 0;
            double here = merit.of(hits, order.length - i - hits, positives, labels.length - positives);
            double below = i == 0 ? Double.NEGATIVE_INFINITY : scores[order[i - 1]];
            if (here > best && below < scores[order[i]]) {
                best = here;
                threshold = i == 0 ? scores[order[0]] : between(below, scores[order[i]]);
            }
        }
        return threshold;
    }

    private static int positives(boolean[] labels) {
        return (int) IntStream.range(0, labels.length).filter(i -> labels[i]).count();
    }

    /** Midway between two scores; the higher one where no number lies between them, or the lower one would trigger too. */
    private static double between(double below, double score) {
        double middle = (below + score) / 2;
        return middle > below ? middle : score;
    }

    /**
     * The curve's corners, from (0, 0) to (100, 100): false-trigger rate and recall, percent, at each distinct score from the highest on.
     */
    public static List<CurvePoint> points(double[] scores, boolean[] labels) {
        return corners(
                scores,
                labels,
                (hits, falseTriggers, positives, negatives) ->
                        new CurvePoint(100.0 * falseTriggers / negatives, 100.0 * hits / positives));
    }

    /** Recall and precision, percent, at each distinct score from the highest on. */
    public static List<CurvePoint> precisionRecall(double[] scores, boolean[] labels) {
        List<CurvePoint> corners = corners(
                scores,
                labels,
                (hits, falseTriggers, positives, negatives) ->
                        new CurvePoint(100.0 * hits / positives, 100.0 * hits / (hits + falseTriggers)));
        return corners.stream().skip(1).toList(); // there is no precision where nothing triggers
    }

    /**
     * Average precision, 0 to 1: the mean over positives of the precision at their score, ties together; null without positives.
     */
    public static @Nullable Double averagePrecision(double[] scores, boolean[] labels) {
        double sum = 0;
        double recall = 0;
        for (CurvePoint point : precisionRecall(scores, labels)) {
            sum += (point.x() - recall) / 100 * point.y() / 100;
            recall = point.x();
        }
        return recall == 0 ? null : sum;
    }

    /** A point of a curve, percent. */
    public record CurvePoint(double x, double y) {}

    private static List<CurvePoint> corners(double[] scores, boolean[] labels, AtScore<CurvePoint> corner) {
        Integer[] order = ascending(scores);
        int positives = positives(labels);
        int negatives = labels.length - positives;
        List<CurvePoint> points = new ArrayList<>();
        int hits = 0;
        int falseTriggers = 0;
        for (int i = order.length; i >= 0; i--) {
            if (i < order.length) {
                hits += labels[order[i]] ? 1 : 0;
                falseTriggers += labels[order[i]] ? 0 : 1;
            }
            boolean tie = i > 0 && i < order.length && scores[order[i - 1]] == scores[order[i]];
            if (!tie && positives > 0) {
                points.add(corner.of(hits, falseTriggers, positives, negatives));
            }
        }
        return points;
    }

    private static Integer[] ascending(double[] scores) {
        Integer[] order = IntStream.range(0, scores.length).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.comparingDouble(i -> scores[i]));
        return order;
    }
}
