package dev.prpf.eval.suite;

import dev.prpf.mpp.gate.RocCurve;

/** How a threshold follows from inner scores and their labels; a gate triggers iff its score is at least that. */
@FunctionalInterface
interface DecisionRule {
    double threshold(double[] scores, boolean[] labels);

    /** The most recall with at most this false-trigger rate, percent. */
    static DecisionRule falseTriggersWithin(double limit) {
        return (scores, labels) -> RocCurve.mostRecallWithin(limit, scores, labels);
    }

    /** The highest F1. */
    static DecisionRule highestF1() {
        return RocCurve::highestF1;
    }
}
