package dev.prpf.mpp.split;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The use of a sample in a run. */
public enum Split {
    /** Samples for the optimizer. */
    TRAIN,
    /** Samples for early stopping, calibration of probabilities and the choice of τ. */
    DEV,
    /** Samples for risk control only, unseen by all of these. */
    CALIBRATION,
    /** Samples for the final metrics, from a file of their own. */
    TEST;

    /** The name in files: the lower-case constant. */
    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
