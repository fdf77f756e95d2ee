package dev.prpf.mpp;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What samples were used for. */
public enum Split {
    /** The optimizer saw them. */
    TRAIN,
    /** Early stopping, calibration of probabilities and the choice of τ saw them. */
    DEV,
    /** Kept from all of these, for guarantees alone. */
    CALIBRATION,
    /** From a file of its own, for the final figures. */
    TEST;

    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
