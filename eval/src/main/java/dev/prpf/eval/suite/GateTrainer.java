package dev.prpf.eval.suite;

import java.util.List;

/** A way to learn, from labelled decision points, when help is due. */
public interface GateTrainer {
    /** A learned gate: one score a point, the higher the likelier help is due. */
    @FunctionalInterface
    interface Gate {
        double[] score(List<DecisionPoint> points);
    }

    /** Trains on these points and looks at nothing else. Must not keep state between calls. */
    Gate train(List<DecisionPoint> points);
}
