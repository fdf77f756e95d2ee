package dev.prpf.mpp.threshold;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.config.Rule;
import dev.prpf.mpp.Perception;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The gate's threshold τ with the curve it was chosen from (PRPF B.1): an intervention is due iff p_trigger >= τ. Recall and specificity are
 * percentages, on dev.
 *
 * @param curve one point for each τ tried
 * @param riskControl guarantee for τ, or null without a bound
 * @param modelSha256 checksum of the weights that it was chosen with ({@link dev.prpf.mpp.perceive.MppModel#weightsSha256}); null outside a
 *     run
 */
public record TriggerThreshold(
        double threshold,
        double recall,
        double specificity,
        String constraint,
        List<Point> curve,
        @JsonProperty("guarantee") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RiskControl riskControl,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String modelSha256) {
    /** The τ of PRPF B.1, chosen on the paper's data. */
    public static final double PAPER = 0.78;

    public TriggerThreshold {
        requireWithin("threshold", threshold, 1);
        requireWithin("recall", recall, 100);
        requireWithin("specificity", specificity, 100);
        Objects.requireNonNull(constraint, "constraint is missing");
        curve = List.copyOf(Objects.requireNonNull(curve, "curve is missing"));
    }

    private static void requireWithin(String key, double value, int most) {
        Rule.require(value >= 0 && value <= most, key, value, "in [0, " + most + "]");
    }

    /** Returns this threshold with the checksum of its weights. */
    public TriggerThreshold of(@Nullable String weightsSha256) {
        return new TriggerThreshold(threshold, recall, specificity, constraint, curve, riskControl, weightsSha256);
    }

    /** One τ with recall and specificity, in percent. */
    public record Point(double tau, double recall, double specificity) {
        public Point {
            requireWithin("tau", tau, 1);
            requireWithin("recall", recall, 100);
            requireWithin("specificity", specificity, 100);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "tau %.2f with recall %.2f and specificity %.2f", tau, recall, specificity);
        }
    }

    /**
     * A guarantee for a threshold on exchangeable data. With the stated confidence over the draw of the calibration samples, the risk is at most
     * the bound.
     *
     * @param bound required bound, percent
     * @param confidence percent
     * @param upper the upper confidence bound at the threshold, simultaneous over the grid, percent; at most the bound
     * @param samples calibration samples of the risk's class
     * @param grid number of thresholds that the bound was corrected for
     * @param calibrationSha256 of the file of calibration samples
     */
    public record RiskControl(
            Risk risk,
            double bound,
            double confidence,
            double upper,
            int samples,
            int errors,
            int grid,
            String calibrationSha256) {}

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
}
