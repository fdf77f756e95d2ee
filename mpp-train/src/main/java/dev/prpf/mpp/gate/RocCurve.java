package dev.prpf.mpp.gate;

import dev.prpf.base.report.LineChart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.ranking.NaturalRanking;
import org.apache.commons.math3.stat.ranking.TiesStrategy;
import org.jspecify.annotations.Nullable;

/** The receiver operating characteristic of scores against labels, and the precision-recall curve. */
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
     * Returns the decision threshold (trigger iff score >= threshold) of most recall within a false-trigger rate in percent. Ties in recall
     * go to fewest false triggers. It lies midway between two scores, or is infinite (never trigger) if no other threshold keeps the limit.
     */
    public static double mostRecallWithin(double limit, double[] scores, boolean[] labels) {
        double most = limit * (labels.length - positives(labels));
        return best(scores, labels, at -> 100.0 * at.falseTriggers > most ? 0 : at.hits);
    }

    /**
     * Returns the decision threshold (trigger iff score >= threshold) of the highest F1; ties go to the highest threshold. It lies midway
     * between two scores, or is infinite (never trigger) if no label is positive.
     */
    public static double highestF1(double[] scores, boolean[] labels) {
        int positives = positives(labels);
        return best(scores, labels, at -> 2.0 * at.hits / (at.hits + at.falseTriggers + positives));
    }

    /** Hits and false triggers if every sample of at least this score triggers. */
    private record Counts(double score, int hits, int falseTriggers) {}

    /** Returns the counts without a trigger, then at each distinct score, highest first. */
    private static List<Counts> counts(double[] scores, boolean[] labels) {
        int[] order = IntStream.range(0, scores.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -scores[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        List<Counts> counts = new ArrayList<>(List.of(new Counts(Double.POSITIVE_INFINITY, 0, 0)));
        int hits = 0;
        for (int i = 0; i < order.length; i++) {
            double score = scores[order[i]];
            hits += labels[order[i]] ? 1 : 0;
            if (i + 1 == order.length || scores[order[i + 1]] < score) {
                counts.add(new Counts(score, hits, i + 1 - hits));
            }
        }
        return counts;
    }

    /** Returns the highest threshold of the greatest merit; infinite if no merit is above 0. */
    private static double best(double[] scores, boolean[] labels, ToDoubleFunction<Counts> merit) {
        List<Counts> counts = counts(scores, labels);
        double threshold = Double.POSITIVE_INFINITY;
        double best = 0;
        for (int i = 1; i < counts.size(); i++) {
            double here = merit.applyAsDouble(counts.get(i));
            if (here > best) {
                best = here;
                double score = counts.get(i).score;
                threshold = i + 1 == counts.size() ? score : between(counts.get(i + 1).score, score);
            }
        }
        return threshold;
    }

    private static int positives(boolean[] labels) {
        return (int) IntStream.range(0, labels.length).filter(i -> labels[i]).count();
    }

    /** Returns the middle of two scores, or the higher one if no number lies between them: the lower one must not trigger. */
    private static double between(double below, double score) {
        double middle = (below + score) / 2;
        return middle > below ? middle : score;
    }

    /**
     * Returns the curve's corners from (0, 0) to (100, 100): false-trigger rate and recall in percent at each distinct score, highest first.
     */
    public static List<LineChart.Point> points(double[] scores, boolean[] labels) {
        int positives = positives(labels);
        int negatives = labels.length - positives;
        return counts(scores, labels).stream()
                .filter(at -> positives > 0)
                .map(at -> new LineChart.Point(100.0 * at.falseTriggers / negatives, 100.0 * at.hits / positives))
                .toList();
    }

    /** Returns recall and precision in percent at each distinct score, highest first. */
    public static List<LineChart.Point> precisionRecall(double[] scores, boolean[] labels) {
        int positives = positives(labels);
        return counts(scores, labels).stream()
                .skip(1) // precision is undefined without a trigger
                .filter(at -> positives > 0)
                .map(at -> new LineChart.Point(
                        100.0 * at.hits / positives, 100.0 * at.hits / (at.hits + at.falseTriggers)))
                .toList();
    }

    /** Average precision, 0 to 1: the mean over positives of the precision at their score; null without positives. */
    public static @Nullable Double averagePrecision(double[] scores, boolean[] labels) {
        double sum = 0;
        double recall = 0;
        for (LineChart.Point point : precisionRecall(scores, labels)) {
            sum += (point.x() - recall) / 100 * point.y() / 100;
            recall = point.x();
        }
        return recall == 0 ? null : sum;
    }
}
