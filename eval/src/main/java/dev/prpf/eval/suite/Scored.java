package dev.prpf.eval.suite;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/** One gate's scores, the higher the likelier, and decisions to trigger, one a point; scores are null for a gate that only decides. */
record Scored(List<DecisionPoint> points, double @Nullable [] scores, boolean[] decisions) {
    // Spelt out, not compact: the null checker reads an array parameter's annotation only here.
    Scored(List<DecisionPoint> points, double @Nullable [] scores, boolean[] decisions) {
        this.points = List.copyOf(points);
        this.scores = scores;
        this.decisions = decisions;
        if (decisions.length != points.size() || (scores != null && scores.length != points.size())) {
            throw new IllegalArgumentException("points = " + points.size() + ", decisions = " + decisions.length
                    + ", scores = " + (scores == null ? "none" : scores.length) + ", must be equal");
        }
    }

    /** A gate that decides by comparing each score with that point's threshold: trigger iff it is at least that. */
    static Scored thresholded(List<DecisionPoint> points, double[] scores, double[] thresholds) {
        boolean[] decisions = new boolean[scores.length];
        for (int i = 0; i < scores.length; i++) {
            decisions[i] = scores[i] >= thresholds[i];
        }
        return new Scored(points, scores, decisions);
    }

    /** The same decisions on some of the points alone. */
    Scored only(Set<DecisionPoint> kept) {
        return at(IntStream.range(0, points.size())
                .filter(i -> kept.contains(points.get(i)))
                .toArray());
    }

    /** The scores and decisions at these positions; a position may stand several times. */
    Scored at(int[] positions) {
        double[] all = scores;
        boolean[] some = new boolean[positions.length];
        for (int k = 0; k < some.length; k++) {
            some[k] = decisions[positions[k]];
        }
        return new Scored(
                IntStream.of(positions).mapToObj(points::get).toList(),
                all == null
                        ? null
                        : IntStream.of(positions).mapToDouble(i -> all[i]).toArray(),
                some);
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
