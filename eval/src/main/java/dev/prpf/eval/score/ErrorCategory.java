package dev.prpf.eval.score;

import org.jspecify.annotations.Nullable;

/** What kind of Type-Acc error a prediction is (PRPF Table 11). */
public enum ErrorCategory implements Labelled {
    /** The prediction acts, and not as the best-matched answer does. */
    NON_EMPTY_MISMATCH("Non-empty mismatch"),
    /** The gate let the sample through and the reasoner stayed silent, the best-matched answer acts. */
    POST_GATE_ABSTENTION("Post-gate abstention"),
    /** The gate stayed silent, the best-matched answer acts. */
    GATE_MISFIRE("Gate misfire"),
    /** The response could not be read. */
    PARSE_FAILURE("Parse failure");

    private final String label;

    ErrorCategory(String label) {
        this.label = label;
    }

    @Override
    public String label() {
        return label;
    }

    /** The category, or null where the predicted names are exactly a valid answer's. */
    public static @Nullable ErrorCategory of(SampleScore score) {
        if (score.malformed()) {
            return PARSE_FAILURE;
        }
        if (score.match().exact()) {
            return null;
        }
        if (score.acts()) {
            return NON_EMPTY_MISMATCH;
        }
        return score.gated() ? GATE_MISFIRE : POST_GATE_ABSTENTION;
    }
}
