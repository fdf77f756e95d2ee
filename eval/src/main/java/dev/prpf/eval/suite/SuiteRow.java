package dev.prpf.eval.suite;

import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.score.Labelled;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A gate's metrics in percent, except auc (0 to 1); a missing metric is null. Intervals are 95 % bootstraps over whole groups,
 * null if no draw has the metric.
 *
 * @param name the gate's name with its threshold rule
 * @param primary whether this is the row fixed before scoring
 * @param n number of points
 * @param precision TP / (TP + FP)
 * @param recall TP / (TP + FN)
 * @param f1 harmonic mean of precision and recall
 * @param f1Ci interval of F1
 * @param accuracy share of right decisions
 * @param ftr false-trigger rate, FP / (FP + TN) (PRPF eq. 30)
 * @param ftrCi interval of the false-trigger rate
 * @param falseAlarm ProactiveBench's false alarm, FP / (TP + FP)
 * @param triggerRate share of points with a trigger
 * @param auc area under the ROC curve of the pooled scores; null for a gate that only decides
 * @param aucCi interval of the area
 * @param oursMinus lead of our primary gate on the same points; null for our rows, and for rows on other points
 */
public record SuiteRow(
        String name,
        Kind kind,
        boolean primary,
        int n,
        @Nullable Double precision,
        @Nullable Double recall,
        @Nullable Interval recallCi,
        @Nullable Double f1,
        @Nullable Interval f1Ci,
        @Nullable Double accuracy,
        @Nullable Double ftr,
        @Nullable Interval ftrCi,
        @Nullable Double falseAlarm,
        @Nullable Double triggerRate,
        @Nullable Double auc,
        @Nullable Interval aucCi,
        @Nullable Lead oursMinus)
        implements SuiteResult.Row {
    private static final List<String> COLUMNS =
            List.of("gate", "kind", "n", "P", "R", "F1", "Acc", "FTR", "AUC", "ours less it: F1", "AUC");

    /**
     * The difference of two gates on the same points, with paired intervals: both gates' metrics come from the same draws.
     *
     * @param f1 in percentage points; null if either is missing
     * @param f1Ci interval of the difference
     * @param auc 0 to 1; null if either is missing
     * @param aucCi interval of the difference
     */
    public record Lead(@Nullable Double f1, @Nullable Interval f1Ci, @Nullable Double auc, @Nullable Interval aucCi) {}

    /** The origin of a row's gate. */
    public enum Kind implements Labelled {
        OURS,
        BASELINE,
        /** Published decisions scored here against the human labels, or published figures if the row says so. */
        PUBLISHED
    }

    @Override
    public List<String> columns() {
        return COLUMNS;
    }

    @Override
    public List<String> cells() {
        return List.of(
                name,
                kind.key(),
                Integer.toString(n),
                Shown.number(precision, "%.2f"),
                Shown.number(recall, "%.2f"),
                Shown.number(f1, "%.2f") + Shown.bracketed(f1Ci, "%.1f"),
                Shown.number(accuracy, "%.2f"),
                Shown.number(ftr, "%.2f") + Shown.bracketed(ftrCi, "%.1f"),
                Shown.number(auc, "%.3f"),
                oursMinus == null
                        ? ""
                        : Shown.number(oursMinus.f1(), "%+.2f") + Shown.bracketed(oursMinus.f1Ci(), "%+.1f"),
                oursMinus == null
                        ? ""
                        : Shown.number(oursMinus.auc(), "%+.3f") + Shown.bracketed(oursMinus.aucCi(), "%+.3f"));
    }
}
