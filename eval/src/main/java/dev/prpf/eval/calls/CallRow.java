package dev.prpf.eval.calls;

import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How well function-calling tasks were answered. All are percentages; one that does not exist is null. Intervals are 95 % bootstraps over
 * whole groups.
 *
 * @param name whose answers
 * @param kind whose it is
 * @param primary whether it is the one row fixed before scoring
 * @param n tasks
 * @param accuracy right answers by the suite's rules
 * @param accuracyCi of the accuracy
 * @param categoryAccuracy the unweighted mean of the categories' accuracies
 * @param nameAccuracy answers that call the wanted functions, whatever their arguments
 * @param precision of the functions' names, a task, then the mean, as {@code eval score} has it
 * @param recall likewise
 * @param f1 likewise
 * @param f1Ci of F1
 * @param ftr of the tasks where no call is right, those with a call
 * @param ftrCi of it
 * @param malformed answers that are not of the response grammar
 * @param conversations of the conversations of several turns, those whose every answer is right
 * @param progress of these, the share of answers before the first wrong one, then the mean
 * @param auc null: answers have no scores
 * @param oursMinus by how much the primary row is ahead of this one; null for that row and its parts
 */
public record CallRow(
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
     * @param accuracy in points of percent
     * @param accuracyCi of the difference
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
