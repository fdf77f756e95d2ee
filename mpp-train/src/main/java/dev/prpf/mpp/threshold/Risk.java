package dev.prpf.mpp.threshold;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.mpp.Perception;
import java.util.Locale;

/** An error rate of the gate over one class of samples. */
public enum Risk {
    /** False-trigger rate: share of silent samples that trigger (PRPF eq. 30 at the gate). Falls as τ rises. */
    FTR(false, "silent"),
    /** Miss rate: share of acting samples that do not trigger, 100 - recall. Rises with τ. */
    MISS(true, "acting");

    private final boolean ofActing;
    private final String over;

    Risk(boolean ofActing, String over) {
        this.ofActing = ofActing;
        this.over = over;
    }

    /** Returns whether a sample with this label counts for the rate. */
    boolean counts(boolean acts) {
        return acts == ofActing;
    }

    /** Returns whether the gate errs on a sample of this rate's class. */
    boolean errs(double pTrigger, double tau) {
        return Perception.triggers(pTrigger, tau) != ofActing;
    }

    /** The class of its samples: silent or acting. */
    public String over() {
        return over;
    }

    /** Short name in files. */
    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
