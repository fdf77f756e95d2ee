package dev.prpf.mpp.split;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What samples were used for. */
public enum Split {
    /** The optimizer saw them. */
    TRAIN,
    /** Early stopping, calibration of probabilities and the choice of τ saw them. */
    DEV,
    /** None of these saw them: they serve risk control alone. */
    CALIBRATION,
    /** They come from a file of their own and serve the final metrics. */
    TEST;

    /** The name in files: the lower-case constant. */
    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
