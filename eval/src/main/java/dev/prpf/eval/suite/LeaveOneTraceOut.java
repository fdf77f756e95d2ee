package dev.prpf.eval.suite;

import dev.prpf.data.run.Progress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Scores a gate on every trace by a model that has not seen that trace. Where the decision threshold is chosen, it is chosen on the
 * training traces, each scored by a model that has seen neither it nor the trace held out. A model without traces a and b serves
 * twice: for b when a is held out, and for a when b is.
 */
final class LeaveOneTraceOut {
    private final List<DecisionPoint> points;
    private final List<List<Integer>> traces;

    /** @param points every point; traces are told apart by their first event */
    LeaveOneTraceOut(List<DecisionPoint> points) {
        this.points = List.copyOf(points);
        this.traces = new ArrayList<>(TraceFold.positions(points).values());
    }

    /** Decisions at a threshold fixed beforehand: trigger iff the score is at least it. */
    Scored at(double threshold, GateTrainer trainer) {
        double[] thresholds = new double[points.size()];
        Arrays.fill(thresholds, threshold);
        return Scored.thresholded(points, outerScores(trainer), thresholds);
    }

    /**
     * Decisions at the threshold, chosen anew for each held-out trace, of most recall with a false-trigger rate within the limit on
     * the training traces.
     *
     * @param limit percent
     * @param task what the progress bar calls it
     */
    Scored within(double limit, GateTrainer trainer, String task) {
        try (Progress progress = Progress.start(task, traces.size() * (traces.size() + 1L) / 2)) {
            GateTrainer counted = training -> {
                GateTrainer.Gate gate = trainer.train(training);
                progress.step();
                return gate;
            };
            double[][] inner = innerScores(counted);
            double[] thresholds = new double[points.size()];
            for (int held = 0; held < traces.size(); held++) {
                double threshold = innerThreshold(limit, inner[held], held);
                traces.get(held).forEach(i -> thresholds[i] = threshold);
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

    /** [held][i]: point i scored by the model without its own trace and without trace {@code held}, shape (traces, n). */
    private double[][] innerScores(GateTrainer trainer) {
        double[][] scores = new double[traces.size()][points.size()];
        for (int a = 0; a < traces.size(); a++) {
            for (int b = a + 1; b < traces.size(); b++) {
                List<Integer> pair = new ArrayList<>(traces.get(a));
                pair.addAll(traces.get(b));
                double[] both = new double[points.size()];
                score(trainer, pair, both);
                for (int i : traces.get(b)) {
                    scores[a][i] = both[i];
                }
                for (int i : traces.get(a)) {
                    scores[b][i] = both[i];
                }
            }
        }
        return scores;
    }

    /** Trains without the points held out and writes the scores of these into their places. */
    private void score(GateTrainer trainer, List<Integer> heldOut, double[] scores) {
        List<DecisionPoint> test = heldOut.stream().map(points::get).toList();
        TraceFold fold = TraceFold.without(points, TraceFold.traces(test));
        double[] values = trainer.train(fold.train()).score(fold.test());
        List<Integer> ascending = heldOut.stream().sorted().toList(); // the order of fold.test()
        for (int k = 0; k < values.length; k++) {
            scores[ascending.get(k)] = values[k];
        }
    }

    private double innerThreshold(double limit, double[] scores, int held) {
        int[] training = traces.stream()
                .filter(trace -> trace != traces.get(held))
                .flatMap(List::stream)
                .mapToInt(Integer::intValue)
                .toArray();
        double[] kept = new double[training.length];
        boolean[] labels = new boolean[training.length];
        for (int k = 0; k < training.length; k++) {
            kept[k] = scores[training[k]];
            labels[k] = points.get(training[k]).helpNeeded();
        }
        return RocCurve.mostRecallWithin(limit, kept, labels);
    }
}
