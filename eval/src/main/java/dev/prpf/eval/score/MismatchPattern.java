package dev.prpf.eval.score;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How a non-empty mismatch differs from the best-matched answer, as sets of function names (PRPF Table 12). */
public enum MismatchPattern implements Labelled {
    OFF_SCENE("Off-scene (no name in common)"),
    SPURIOUS("Spurious (silence was right)"),
    MISSED_STEPS("Missed steps (a proper subset)"),
    EXTRA_STEPS("Extra steps (a proper superset)"),
    REORDERING("Reordering (same set, other order or count)"),
    PARTIAL_OVERLAP("Partial overlap");

    private final String label;

    MismatchPattern(String label) {
        this.label = label;
    }

    @Override
    public String label() {
        return label;
    }

    /**
     * The pattern of two unequal name sequences.
     *
     * @param predicted not empty
     * @param answer empty for silence
     */
    public static MismatchPattern of(List<String> predicted, List<String> answer) {
        if (answer.isEmpty()) {
            return SPURIOUS;
        }
        Set<String> predictedSet = new HashSet<>(predicted);
        Set<String> answerSet = new HashSet<>(answer);
        if (predictedSet.equals(answerSet)) {
            return REORDERING;
        }
        if (answerSet.containsAll(predictedSet)) {
            return MISSED_STEPS;
        }
        if (predictedSet.containsAll(answerSet)) {
            return EXTRA_STEPS;
        }
        predictedSet.retainAll(answerSet);
        return predictedSet.isEmpty() ? OFF_SCENE : PARTIAL_OVERLAP;
    }
}
