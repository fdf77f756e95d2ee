package dev.prpf.eval.suite;

import java.util.List;

/** Trains a gate on labelled decision points. */
interface GateTrainer {
    /** A trained gate with one score per point; a higher score means that help is more likely due. */
    @FunctionalInterface
    interface Gate {
        double[] score(List<DecisionPoint> points);
    }

    /** Trains on these points only. Must not keep state between calls. */
    Gate train(List<DecisionPoint> points);
}
