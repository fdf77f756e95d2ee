package dev.prpf.eval.score;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How a non-empty mismatch differs from the best-matched answer, as sets of function names (PRPF Table 12). */
public enum MismatchPattern {
    OFF_SCENE("off_scene", "Off-scene (no name in common)"),
    SPURIOUS("spurious", "Spurious (silence was right)"),
    MISSED_STEPS("missed_steps", "Missed steps (a proper subset)"),
    EXTRA_STEPS("extra_steps", "Extra steps (a proper superset)"),
    REORDERING("reordering", "Reordering (same set, other order or count)"),
    PARTIAL_OVERLAP("partial_overlap", "Partial overlap");

    private final String key;
    private final String label;

    MismatchPattern(String key, String label) {
        this.key = key;
        this.label = label;
    }

    public String key() {
        return key;
    }

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
