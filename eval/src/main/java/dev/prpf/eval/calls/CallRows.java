package dev.prpf.eval.calls;

import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.Means;
import dev.prpf.eval.calls.CallScoring.JudgedCalls;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;

/** Creates the rows of a table: metrics, intervals over whole groups, and the lead of the primary row on the same draws. */
record CallRows(Bootstrap bootstrap, List<JudgedCalls> primary) {
    /** The relation of a row to the primary row: itself, compared with it, or a part of it. */
    private enum Role {
        PRIMARY,
        COMPARED,
        PART
    }

    CallRow primary(String name, SuiteRow.Kind kind) {
        return row(name, kind, Role.PRIMARY, primary);
    }

    CallRow baseline(String name, List<JudgedCalls> judged) {
        return row(name, SuiteRow.Kind.BASELINE, Role.COMPARED, judged);
    }

    /** Returns the rows of the primary answers by category, in the order of the tasks. */
    List<CallRow> byCategory(SuiteRow.Kind kind) {
        return byKey(primary, one -> one.task().category()).entrySet().stream()
                .map(category -> new CallRows(bootstrap, category.getValue())
                        .row(category.getKey(), kind, Role.PART, category.getValue()))
                .toList();
    }

    private CallRow row(String name, SuiteRow.Kind kind, Role role, List<JudgedCalls> judged) {
        List<@Nullable Interval> intervals = intervals(judged);
        double accuracy = share(judged, JudgedCalls::right);
        List<JudgedCalls> silent =
                judged.stream().filter(JudgedCalls::wantsSilence).toList();
        Map<String, List<JudgedCalls>> conversations = byKey(
                judged.stream().filter(one -> one.task().conversation() != null).toList(),
                one -> String.valueOf(one.task().conversation()));
        return new CallRow(
                name,
                kind,
                role == Role.PRIMARY,
                judged.size(),
                accuracy,
                intervals.get(0),
                mean(byKey(judged, one -> one.task().category()), category -> share(category, JudgedCalls::right)),
                share(judged, JudgedCalls::callsTheWanted),
                100 * mean(judged, one -> one.overlap().precision()),
                100 * mean(judged, one -> one.overlap().recall()),
                100 * mean(judged, one -> one.overlap().f1()),
                intervals.get(1),
                silent.isEmpty() ? null : (Double) share(silent, JudgedCalls::called),
                intervals.get(2),
                share(judged, one -> one.calls() == null),
                conversations.isEmpty()
                        ? null
                        : (Double) (100 * mean(conversations, turns -> progress(turns) < 1 ? 0 : 1)),
                conversations.isEmpty() ? null : (Double) (100 * mean(conversations, CallRows::progress)),
                null,
                role == Role.COMPARED
                        ? new CallRow.Lead(share(primary, JudgedCalls::right) - accuracy, intervals.get(3))
                        : null);
    }

    /** Returns the intervals of accuracy, F1, false-trigger rate, and the primary row's lead in accuracy. */
    private List<@Nullable Interval> intervals(List<JudgedCalls> judged) {
        Map<String, Long> groups = new HashMap<>();
        long[] sources = judged.stream()
                .mapToLong(one -> groups.computeIfAbsent(one.task().group(), unseen -> (long) groups.size()))
                .toArray();
        List<@Nullable Interval> intervals =
                new ArrayList<>(bootstrap.ofShares(Means.of(sources, i -> shares(judged.get(i)))));
        intervals.addAll(bootstrap.ofMeans(Means.of(sources, i -> new double[] {
            percent(primary.get(i).right()) - percent(judged.get(i).right())
        })));
        return intervals;
    }

    private static double[] shares(JudgedCalls one) {
        double called = one.wantsSilence() ? percent(one.called()) : Double.NaN;
        return new double[] {percent(one.right()), 100 * one.overlap().f1(), called};
    }

    private static double percent(boolean holds) {
        return holds ? 100 : 0;
    }

    /** Returns the share of a conversation before its first wrong answer. */
    private static double progress(List<JudgedCalls> turns) {
        return (double) turns.stream().takeWhile(JudgedCalls::right).count() / turns.size();
    }

    private static Map<String, List<JudgedCalls>> byKey(List<JudgedCalls> judged, Function<JudgedCalls, String> key) {
        return judged.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    private static double mean(Map<String, List<JudgedCalls>> groups, ToDoubleFunction<List<JudgedCalls>> of) {
        return StatUtils.mean(groups.values().stream().mapToDouble(of).toArray());
    }

    private static double mean(List<JudgedCalls> judged, ToDoubleFunction<JudgedCalls> of) {
        return StatUtils.mean(judged.stream().mapToDouble(of).toArray());
    }

    private static double share(List<JudgedCalls> judged, Predicate<JudgedCalls> holds) {
        return 100.0 * judged.stream().filter(holds).count() / judged.size();
    }

    /**
     * The metrics of answers to function-calling tasks, in percent; a missing metric is null. Intervals are 95 % bootstraps over
     * whole groups.
     *
     * @param primary whether this is the row fixed before scoring
     * @param accuracy right answers by the suite's rules
     * @param categoryAccuracy the unweighted mean of the categories' accuracies
     * @param nameAccuracy share of answers that call the wanted functions, with any arguments
     * @param precision mean precision of function names per task, as in {@code eval score}
     * @param recall mean recall of function names per task
     * @param f1 mean F1 of function names per task
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
}
