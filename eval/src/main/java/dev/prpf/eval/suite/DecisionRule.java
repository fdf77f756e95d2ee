package dev.prpf.eval.suite;

/** How a threshold follows from inner scores and their labels; a gate triggers iff its score is at least that. */
@FunctionalInterface
interface DecisionRule {
    double threshold(double[] scores, boolean[] labels);
}
