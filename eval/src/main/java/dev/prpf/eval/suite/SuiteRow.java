package dev.prpf.eval.suite;

import dev.prpf.mpp.gate.ConfusionMatrix;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gate's figures. All are percentages (0 to 100) but auc (0 to 1); a figure that does not exist is null.
 *
 * @param name which gate, with the rule of its threshold
 * @param kind whose it is
 * @param primary whether it is the one row fixed before scoring
 * @param counts decisions against labels
 * @param auc area under the ROC curve of the pooled scores; null for a gate that only decides
 * @param intervals 95 % group-bootstrap intervals of the figures
 * @param oursMinus by how much our primary gate is ahead of this one on the same points; null for rows of ours, and for rows on other points
 */
public record SuiteRow(
        String name,
        Kind kind,
        boolean primary,
        ConfusionMatrix counts,
        @Nullable Double auc,
        Intervals intervals,
        @Nullable Lead oursMinus) {
    /**
     * Intervals [low, high]; null where the figure exists in no draw.
     *
     * @param f1 percent
     * @param falseTriggerRate percent
     * @param recall percent
     * @param auc 0 to 1
     */
    public record Intervals(
            @Nullable List<Double> f1,
            @Nullable List<Double> falseTriggerRate,
            @Nullable List<Double> recall,
            @Nullable List<Double> auc) {}

    /**
     * The difference of two gates on the same points, with paired 95 % intervals: both gates' figures come from the same draws.
     *
     * @param f1 in points of percent; null where one of the two has none
     * @param f1Interval [low, high]
     * @param auc 0 to 1; null where one of the two has none
     * @param aucInterval [low, high]
     */
    public record Lead(
            @Nullable Double f1,
            @Nullable List<Double> f1Interval,
            @Nullable Double auc,
            @Nullable List<Double> aucInterval) {
        private Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> lead = new LinkedHashMap<>();
            lead.put("f1", f1);
            lead.put("f1_ci", f1Interval);
            lead.put("auc", auc);
            lead.put("auc_ci", aucInterval);
            return lead;
        }
    }

    /** Whose gate a row tells of. */
    public enum Kind {
        OURS,
        BASELINE,
        /** Decisions that others released, scored here against the human labels. */
        PUBLISHED;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The row as the contract names its keys. */
    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("name", name);
        row.put("kind", kind.label());
        row.put("primary", primary);
        row.put("n", counts.total());
        row.put("precision", counts.precision());
        row.put("recall", counts.recall());
        row.put("recall_ci", intervals.recall());
        row.put("f1", counts.f1());
        row.put("f1_ci", intervals.f1());
        row.put("accuracy", counts.accuracy());
        row.put("ftr", counts.falseTriggerRate());
        row.put("ftr_ci", intervals.falseTriggerRate());
        row.put("false_alarm", counts.falseAlarm());
        row.put("trigger_rate", counts.triggerRate());
        row.put("auc", auc);
        row.put("auc_ci", intervals.auc());
        row.put("ours_minus", oursMinus == null ? null : oursMinus.json());
        return row;
    }
}
