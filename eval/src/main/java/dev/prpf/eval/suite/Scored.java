package dev.prpf.eval.suite;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a gate said of each point.
 *
 * @param points the points scored
 * @param scores one a point, the higher the likelier; null for a gate that only decides
 * @param decisions whether it triggers, one a point
 */
record Scored(List<DecisionPoint> points, @Nullable List<Double> scores, boolean[] decisions) {
    Scored {
        points = List.copyOf(points);
        scores = scores == null ? null : List.copyOf(scores);
        if (decisions.length != points.size() || (scores != null && scores.size() != points.size())) {
            throw new IllegalArgumentException("points = " + points.size() + ", decisions = " + decisions.length
                    + ", scores = " + (scores == null ? "none" : scores.size()) + ", must be equal");
        }
    }

    /** A gate that decides by comparing each score with that point's threshold: trigger iff it is at least that. */
    static Scored thresholded(List<DecisionPoint> points, double[] scores, double[] thresholds) {
        boolean[] decisions = new boolean[scores.length];
        for (int i = 0; i < scores.length; i++) {
            decisions[i] = scores[i] >= thresholds[i];
        }
        return new Scored(points, Arrays.stream(scores).boxed().toList(), decisions);
    }

    /** The same decisions on some of the points alone. */
    Scored only(Set<DecisionPoint> kept) {
        int[] places = IntStream.range(0, points.size())
                .filter(i -> kept.contains(points.get(i)))
                .toArray();
        boolean[] some = new boolean[places.length];
        for (int k = 0; k < places.length; k++) {
            some[k] = decisions[places[k]];
        }
        List<Double> all = scores;
        return new Scored(
                IntStream.of(places).mapToObj(points::get).toList(),
                all == null ? null : IntStream.of(places).mapToObj(all::get).toList(),
                some);
    }

    /** Positions 0 to n - 1. */
    int[] everyRow() {
        return IntStream.range(0, points.size()).toArray();
    }

    boolean[] labels() {
        return labels(points);
    }

    static boolean[] labels(List<DecisionPoint> points) {
        boolean[] labels = new boolean[points.size()];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = points.get(i).helpNeeded();
        }
        return labels;
    }
}
