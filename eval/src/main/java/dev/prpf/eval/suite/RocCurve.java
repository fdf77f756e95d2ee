package dev.prpf.eval.suite;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The receiver operating characteristic of scores against labels. */
final class RocCurve {
    private RocCurve() {}

    /** Area under the curve, 0 to 1: P(a positive scores above a negative), ties a half. Null if a class is missing. */
    static @Nullable Double area(double[] scores, boolean[] labels) {
        Integer[] order = ascending(scores);
        double rankSum = 0;
        long positives = 0;
        for (int start = 0; start < order.length; ) {
            int end = start;
            while (end < order.length && scores[order[end]] == scores[order[start]]) {
                end++;
            }
            double rank = (start + 1 + end) / 2.0; // ties share their mean rank
            for (int i = start; i < end; i++) {
                if (labels[order[i]]) {
                    rankSum += rank;
                    positives++;
                }
            }
            start = end;
        }
        long negatives = order.length - positives;
        return positives == 0 || negatives == 0
                ? null
                : (rankSum - positives * (positives + 1) / 2.0) / ((double) positives * negatives);
    }

    /**
     * The decision threshold (trigger iff score is at least it) of most recall among those whose false-trigger rate stays within the
     * limit; of equal recall the one of fewest false triggers. It lies midway between two scores, and is infinite (never trigger) if
     * only that keeps the limit.
     *
     * @param limit percent
     */
    static double mostRecallWithin(double limit, double[] scores, boolean[] labels) {
        Integer[] order = ascending(scores);
        int negatives =
                (int) IntStream.range(0, labels.length).filter(i -> !labels[i]).count();
        double threshold = Double.POSITIVE_INFINITY;
        int falseTriggers = 0;
        int hits = 0;
        int best = 0;
        for (int i = order.length - 1; i >= 0; i--) {
            hits += labels[order[i]] ? 1 : 0;
            falseTriggers += labels[order[i]] ? 0 : 1;
            if (100.0 * falseTriggers > limit * negatives) {
                break;
            }
            double below = i == 0 ? Double.NEGATIVE_INFINITY : scores[order[i - 1]];
            if (hits > best && below < scores[order[i]]) {
                best = hits;
                threshold = i == 0 ? scores[order[0]] : (below + scores[order[i]]) / 2;
            }
        }
        return threshold;
    }

    private static Integer[] ascending(double[] scores) {
        Integer[] order = IntStream.range(0, scores.length).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.comparingDouble(i -> scores[i]));
        return order;
    }
}
