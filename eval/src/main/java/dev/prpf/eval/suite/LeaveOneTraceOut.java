package dev.prpf.eval.suite;

import dev.prpf.data.run.Progress;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Scores a gate on every trace by a model that has not seen that trace. Where the decision threshold is chosen, it is chosen on training
 * traces, scored by models that have seen neither them nor the trace held out. To train fewer such inner models, traces go in six groups:
 * a model without groups g and h scores h's points for the thresholds of g's traces, and g's points for those of h's traces.
 */
final class LeaveOneTraceOut {
    private static final int GROUPS = 6;

    private final List<DecisionPoint> points;
    private final List<List<Integer>> traces;
    private final List<List<Integer>> groups;

    /** @param points every point; traces are told apart by their first event */
    LeaveOneTraceOut(List<DecisionPoint> points) {
        this.points = List.copyOf(points);
        this.traces = List.copyOf(TraceFold.positions(points).values());
        this.groups = grouped(traces);
    }

    private static List<List<Integer>> grouped(List<List<Integer>> traces) {
        int count = Math.min(GROUPS, traces.size());
        return IntStream.range(0, count)
                .mapToObj(g -> traces.subList(g * traces.size() / count, (g + 1) * traces.size() / count).stream()
                        .flatMap(List::stream)
                        .toList())
                .toList();
    }

    /** Decisions at a threshold fixed beforehand: trigger iff the score is at least it. */
    Scored at(double threshold, GateTrainer trainer) {
        double[] thresholds = new double[points.size()];
        Arrays.fill(thresholds, threshold);
        return Scored.thresholded(points, outerScores(trainer), thresholds);
    }

    /**
     * Decisions at the threshold, chosen without the held-out trace, of most recall with a false-trigger rate within the limit on the
     * inner traces.
     *
     * @param limit percent
     * @param task what the progress bar calls it
     */
    Scored within(double limit, GateTrainer trainer, String task) {
        int models = traces.size() + groups.size() * (groups.size() - 1) / 2;
        try (Progress progress = Progress.start(task, models)) {
            GateTrainer counted = training -> {
                GateTrainer.Gate gate = trainer.train(training);
                progress.step();
                return gate;
            };
            double[] thresholds = new double[points.size()];
            List<Inner> inner = innerScores(counted);
            for (int group = 0; group < groups.size(); group++) {
                double threshold = RocCurve.mostRecallWithin(
                        limit, inner.get(group).scores(), inner.get(group).labels());
                groups.get(group).forEach(i -> thresholds[i] = threshold);
            }
            return Scored.thresholded(points, outerScores(counted), thresholds);
        }
    }

    /** Each point scored by the model without its trace, shape (n). */
    private double[] outerScores(GateTrainer trainer) {
        double[] scores = new double[points.size()];
        for (List<Integer> held : traces) {
            score(trainer, held, scores);
        }
        return scores;
    }

    /**
     * What may be known of thresholds for one group's traces.
     *
     * @param scores of the points of all other groups, by models that saw neither their group nor this one
     * @param labels of these points
     */
    record Inner(double[] scores, boolean[] labels) {}

    /** One a group. */
    List<Inner> innerScores(GateTrainer trainer) {
        double[][] scores = new double[groups.size()][points.size()];
        for (int g = 0; g < groups.size(); g++) {
            for (int h = g + 1; h < groups.size(); h++) {
                List<Integer> pair = new ArrayList<>(groups.get(g));
                pair.addAll(groups.get(h));
                double[] both = new double[points.size()];
                score(trainer, pair, both);
                copy(groups.get(h), both, scores[g]);
                copy(groups.get(g), both, scores[h]);
            }
        }
        List<Inner> inner = new ArrayList<>();
        for (int g = 0; g < groups.size(); g++) {
            inner.add(without(groups.get(g), scores[g]));
        }
        return inner;
    }

    private static void copy(List<Integer> places, double[] from, double[] to) {
        places.forEach(i -> to[i] = from[i]);
    }

    private Inner without(List<Integer> group, double[] scores) {
        boolean[] out = new boolean[points.size()];
        group.forEach(i -> out[i] = true);
        double[] kept = new double[points.size() - group.size()];
        boolean[] labels = new boolean[kept.length];
        int k = 0;
        for (int i = 0; i < out.length; i++) {
            if (!out[i]) {
                kept[k] = scores[i];
                labels[k++] = points.get(i).helpNeeded();
            }
        }
        return new Inner(kept, labels);
    }

    /** Trains without the traces of the points held out and writes the scores of these points into their places. */
    private void score(GateTrainer trainer, List<Integer> heldOut, double[] scores) {
        List<Integer> ascending = heldOut.stream().sorted().toList(); // the order of the fold's test points
        TraceFold fold = TraceFold.without(
                points, TraceFold.traces(ascending.stream().map(points::get).toList()));
        double[] values = trainer.train(fold.train()).score(fold.test());
        for (int k = 0; k < values.length; k++) {
            scores[ascending.get(k)] = values[k];
        }
    }
}
