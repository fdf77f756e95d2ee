package dev.prpf.eval.suite;

import java.util.List;
import java.util.stream.IntStream;

/** Trains gates that accept or reject a proposal. A point's context is the proposed task; a point without context proposes nothing. */
final class ProposalHeads {
    private static final List<String> NOTHING = List.of("", "NothingProposed", "");

    private ProposalHeads() {}

    /** Trains one gate for points without a proposal, and one for points with a task. */
    static GateTrainer two(GateTrainer trainer) {
        return points -> {
            GateTrainer.Gate none = trainer.train(
                    points.stream().filter(point -> point.context().isEmpty()).toList());
            GateTrainer.Gate task = trainer.train(
                    points.stream().filter(point -> !point.context().isEmpty()).toList());
            return test -> {
                double[] scores = new double[test.size()];
                for (boolean proposes : new boolean[] {false, true}) {
                    int[] at = IntStream.range(0, scores.length)
                            .filter(i -> test.get(i).context().isEmpty() != proposes)
                            .toArray();
                    List<DecisionPoint> selected =
                            IntStream.of(at).mapToObj(test::get).toList();
                    double[] values = selected.isEmpty() ? new double[0] : (proposes ? task : none).score(selected);
                    IntStream.range(0, at.length).forEach(k -> scores[at[k]] = values[k]);
                }
                return scores;
            };
        };
    }

    /** Trains one gate for all points; an empty proposal is encoded as a special word. */
    static GateTrainer one(GateTrainer trainer) {
        return points -> {
            GateTrainer.Gate gate = trainer.train(withEmptyProposals(points));
            return test -> gate.score(withEmptyProposals(test));
        };
    }

    private static List<DecisionPoint> withEmptyProposals(List<DecisionPoint> points) {
        return points.stream()
                .map(point -> point.context().isEmpty()
                        ? new DecisionPoint(point.group(), NOTHING, point.events(), point.helpNeeded())
                        : point)
                .toList();
    }
}
