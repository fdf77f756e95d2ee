package dev.prpf.eval.suite;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/** One gate's scores and decisions to trigger, one per point; scores are null for a gate that only decides. */
record Scored(List<DecisionPoint> points, double @Nullable [] scores, boolean[] decisions) {
    // Not compact, because the null checker reads an array parameter's annotation only here.
    Scored(List<DecisionPoint> points, double @Nullable [] scores, boolean[] decisions) {
        this.points = List.copyOf(points);
        this.scores = scores;
        this.decisions = decisions;
        if (decisions.length != points.size() || (scores != null && scores.length != points.size())) {
            throw new IllegalArgumentException("points = " + points.size() + ", decisions = " + decisions.length
                    + ", scores = " + (scores == null ? "none" : scores.length) + ", must be equal");
        }
    }

    /** Decides by thresholds: triggers iff a point's score is at least its threshold. */
    static Scored thresholded(List<DecisionPoint> points, double[] scores, double[] thresholds) {
        boolean[] decisions = new boolean[scores.length];
        for (int i = 0; i < scores.length; i++) {
            decisions[i] = scores[i] >= thresholds[i];
        }
        return new Scored(points, scores, decisions);
    }

    Scored only(Set<DecisionPoint> kept) {
        return at(IntStream.range(0, points.size())
                .filter(i -> kept.contains(points.get(i)))
                .toArray());
    }

    /** Returns the scores and decisions at positions, which may repeat. */
    Scored at(int[] positions) {
        double[] all = scores;
        boolean[] selected = new boolean[positions.length];
        for (int k = 0; k < selected.length; k++) {
            selected[k] = decisions[positions[k]];
        }
        return new Scored(
                IntStream.of(positions).mapToObj(points::get).toList(),
                all == null
                        ? null
                        : IntStream.of(positions).mapToDouble(i -> all[i]).toArray(),
                selected);
    }

    boolean[] labels() {
        return labels(points);
    }

    static boolean[] labels(List<DecisionPoint> points) {
        return flags(points, DecisionPoint::helpNeeded);
    }

    static boolean[] flags(List<DecisionPoint> points, Function<DecisionPoint, Boolean> of) {
        return ArrayUtils.toPrimitive(points.stream().map(of).toArray(Boolean[]::new));
    }
}
