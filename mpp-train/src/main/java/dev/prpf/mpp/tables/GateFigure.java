package dev.prpf.mpp.tables;

import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.base.statistics.Interval;
import dev.prpf.mpp.gate.GateCounts;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The columns of PRPF Table 7 (eq. 23 to 27). */
public enum GateFigure {
    THRESHOLD("Threshold"),
    ACCURACY("Accuracy"),
    RECALL("Recall"),
    SPECIFICITY("Specificity"),
    PRECISION("Precision"),
    F1("F1"),
    INTENT_TOP5("Intent top-5");

    private static final double LEVEL = 95;

    private final String label;

    GateFigure(String label) {
        this.label = label;
    }

    /**
     * A figure of a run, in percent (the threshold as it is).
     *
     * @param value null where it does not exist
     * @param interval 95 percent over samples, or null
     * @param n samples, or for {@link #INTENT_TOP5} pairs of sample and scenario, that it is over; 0 of the threshold
     */
    public record Value(@Nullable Double value, @Nullable Interval interval, int n) {
        static Value of(Proportion proportion) {
            return new Value(proportion.percent(), proportion.interval(), proportion.whole());
        }

        Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("value", value);
            json.put("ci", interval == null ? null : new double[] {interval.low(), interval.high()});
            json.put("n", n);
            return json;
        }
    }

    public String label() {
        return label;
    }

    public Value of(EvaluatedRun run) {
        GateCounts counts = run.counts();
        int tp = counts.truePositives();
        int tn = counts.trueNegatives();
        return switch (this) {
            case THRESHOLD -> new Value(run.threshold().threshold(), null, 0);
            case ACCURACY -> share(tp + tn, counts.total());
            case RECALL -> share(tp, tp + counts.falseNegatives());
            case SPECIFICITY -> share(tn, tn + counts.falsePositives());
            case PRECISION -> share(tp, tp + counts.falsePositives());
            case F1 -> f1(counts);
            case INTENT_TOP5 -> Value.of(run.intentTop5());
        };
    }

    private static Value share(int part, int whole) {
        return Value.of(new Proportion(part, whole));
    }

    /**
     * F1 is 2J / (1 + J) of J = TP / (TP + FP + FN), a share of the samples that act or trigger: its interval is J's, carried over.
     */
    private static Value f1(GateCounts counts) {
        int union = counts.truePositives() + counts.falsePositives() + counts.falseNegatives();
        if (counts.f1() == null || union == 0) {
            return new Value(null, null, union);
        }
        Interval overlap = ClopperPearson.interval(counts.truePositives(), union, LEVEL);
        return new Value(counts.f1(), new Interval(f1OfOverlap(overlap.low()), f1OfOverlap(overlap.high())), union);
    }

    private static double f1OfOverlap(double percent) {
        return 200 * percent / (100 + percent);
    }
}
