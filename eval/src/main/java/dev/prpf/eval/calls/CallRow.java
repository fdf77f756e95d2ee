package dev.prpf.eval.calls;

import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of answers to function-calling tasks, in percent; a missing metric is null. Intervals are 95 % bootstraps over
 * whole groups.
 *
 * @param name the name of the answers
 * @param primary whether this is the row fixed before scoring
 * @param n number of tasks
 * @param accuracy right answers by the suite's rules
 * @param categoryAccuracy the unweighted mean of the categories' accuracies
 * @param nameAccuracy share of answers that call the wanted functions, with any arguments
 * @param precision mean precision of function names per task, as in {@code eval score}
 * @param recall mean recall of function names per task
 * @param f1 mean F1 of function names per task
 * @param f1Ci interval of F1
 * @param ftr share of answers with a call among tasks that want none
 * @param ftrCi interval of the false-trigger rate
 * @param malformed share of malformed answers
 * @param conversations share of multi-turn conversations with only right answers
 * @param progress mean share of a conversation's answers before the first wrong one
 * @param auc null, since answers have no scores
 * @param oursMinus lead of the primary row; null for that row and its parts
 */
record CallRow(
        String name,
        SuiteRow.Kind kind,
        boolean primary,
        int n,
        double accuracy,
        @Nullable Interval accuracyCi,
        double categoryAccuracy,
        double nameAccuracy,
        double precision,
        double recall,
        double f1,
        @Nullable Interval f1Ci,
        @Nullable Double ftr,
        @Nullable Interval ftrCi,
        double malformed,
        @Nullable Double conversations,
        @Nullable Double progress,
        @Nullable Double auc,
        @Nullable Lead oursMinus)
        implements SuiteResult.Row {
    private static final List<String> COLUMNS = List.of(
            "answers",
            "kind",
            "n",
            "Acc",
            "mean of categories",
            "names",
            "P",
            "R",
            "F1",
            "FTR",
            "malformed",
            "conversations",
            "progress",
            "ours less it: Acc");

    /**
     * The difference of two rows' accuracies, from the same draws.
     *
     * @param accuracy in percentage points
     * @param accuracyCi interval of the difference
     */
    public record Lead(double accuracy, @Nullable Interval accuracyCi) {}

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
                percent(accuracy) + Shown.bracketed(accuracyCi, "%.1f"),
                percent(categoryAccuracy),
                percent(nameAccuracy),
                percent(precision),
                percent(recall),
                percent(f1) + Shown.bracketed(f1Ci, "%.1f"),
                percent(ftr) + Shown.bracketed(ftrCi, "%.1f"),
                percent(malformed),
                percent(conversations),
                percent(progress),
                oursMinus == null
                        ? ""
                        : Shown.number(oursMinus.accuracy(), "%+.2f")
                                + Shown.bracketed(oursMinus.accuracyCi(), "%+.1f"));
    }

    private static String percent(@Nullable Double value) {
        return Shown.number(value, "%.2f");
    }
}
