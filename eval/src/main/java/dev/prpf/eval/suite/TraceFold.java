package dev.prpf.eval.suite;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A split by whole traces.
 *
 * @param train what may be looked at
 * @param test what is scored; shares no trace with {@code train}
 */
record TraceFold(List<DecisionPoint> train, List<DecisionPoint> test) {
    TraceFold {
        train = List.copyOf(train);
        test = List.copyOf(test);
        Set<DecisionPoint.Event> shared = new LinkedHashSet<>(traces(train));
        shared.retainAll(traces(test));
        if (!shared.isEmpty()) {
            throw new IllegalArgumentException("traces on both sides of a split: " + shared);
        }
    }

    /** One fold a trace, in order of first appearance. */
    static List<TraceFold> leaveOneOut(List<DecisionPoint> points) {
        return traces(points).stream()
                .map(trace -> without(points, Set.of(trace)))
                .toList();
    }

    /** These traces held out. */
    static TraceFold without(List<DecisionPoint> points, Set<DecisionPoint.Event> heldOut) {
        Predicate<DecisionPoint> out = point -> heldOut.contains(point.trace());
        return new TraceFold(
                points.stream().filter(out.negate()).toList(),
                points.stream().filter(out).toList());
    }

    static Set<DecisionPoint.Event> traces(List<DecisionPoint> points) {
        return points.stream().map(DecisionPoint::trace).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Positions of each trace's points, in order of first appearance. */
    static Map<DecisionPoint.Event, List<Integer>> positions(List<DecisionPoint> points) {
        Map<DecisionPoint.Event, List<Integer>> positions = new LinkedHashMap<>();
        for (int i = 0; i < points.size(); i++) {
            positions
                    .computeIfAbsent(points.get(i).trace(), trace -> new java.util.ArrayList<>())
                    .add(i);
        }
        return positions;
    }
}
