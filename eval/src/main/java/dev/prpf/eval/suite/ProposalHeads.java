package dev.prpf.eval.suite;

import java.util.List;
import java.util.stream.IntStream;

/** Gates of proposals made of gates of moments: a point without context proposes nothing, any other a task. */
final class ProposalHeads {
    private static final List<String> NOTHING = List.of("", "NothingProposed", "");

    private ProposalHeads() {}

    /** A gate for moments at which nothing is proposed, and one for tasks. */
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
                    List<DecisionPoint> some =
                            IntStream.of(at).mapToObj(test::get).toList();
                    double[] values = some.isEmpty() ? new double[0] : (proposes ? task : none).score(some);
                    IntStream.range(0, at.length).forEach(k -> scores[at[k]] = values[k]);
                }
                return scores;
            };
        };
    }

    /** One gate for all; that nothing is proposed it reads as a word of its own. */
    static GateTrainer one(GateTrainer trainer) {
        return points -> {
            GateTrainer.Gate gate = trainer.train(withNothingSaid(points));
            return test -> gate.score(withNothingSaid(test));
        };
    }

    private static List<DecisionPoint> withNothingSaid(List<DecisionPoint> points) {
        return points.stream()
                .map(point -> point.context().isEmpty()
                        ? new DecisionPoint(point.group(), NOTHING, point.events(), point.helpNeeded())
                        : point)
                .toList();
    }
}
