package dev.prpf.eval.suite;

import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes a table's rows: figures, intervals over whole groups, and by how much ours is ahead on the same draws. */
final class SuiteRows {
    /** The threshold of a probability that was trained on classes of equal weight. */
    static final double BALANCED = 0.5;

    private final GroupBootstrap bootstrap;
    private final Scored ours;

    /**
     * Rows of one table.
     *
     * @param ours the gate that the table's baselines are compared with
     */
    SuiteRows(GroupBootstrap bootstrap, Scored ours) {
        this.bootstrap = bootstrap;
        this.ours = ours;
    }

    /** The row of our gate that was fixed before scoring. */
    SuiteRow primary(String name) {
        return row(name, SuiteRow.Kind.OURS, true, ours);
    }

    SuiteRow baseline(String name, Scored scored) {
        return row(name, SuiteRow.Kind.BASELINE, scored);
    }

    SuiteRow row(String name, SuiteRow.Kind kind, Scored scored) {
        return row(name, kind, false, scored);
    }

    /** The same decision everywhere: never, and always. */
    List<SuiteRow> trivial() {
        return List.of(
                baseline("never", Baselines.always(false, ours.points())),
                baseline("always", Baselines.always(true, ours.points())));
    }

    /** A baseline at one half, and at the thresholds that the rule chooses inside. */
    List<SuiteRow> twoThresholds(String name, NestedScores scores, DecisionRule rule, String ruleName) {
        return List.of(baseline(name, scores.at(BALANCED)), baseline(name + ruleName, scores.by(rule)));
    }

    private SuiteRow row(String name, SuiteRow.Kind kind, boolean primary, Scored scored) {
        Figures figures = new Figures(scored);
        List<List<Integer>> groups = groups(scored);
        boolean compared = kind != SuiteRow.Kind.OURS && scored.points().equals(ours.points());
        return new SuiteRow(
                name,
                kind,
                primary,
                ConfusionMatrix.of(scored.decisions(), scored.labels()),
                figures.auc(scored.everyRow()),
                new SuiteRow.Intervals(
                        bootstrap.interval(groups, figures::f1),
                        bootstrap.interval(groups, rows -> figures.counts(rows).falseTriggerRate()),
                        bootstrap.interval(groups, rows -> figures.counts(rows).recall()),
                        scored.scores() == null ? null : bootstrap.interval(groups, figures::auc)),
                compared ? lead(figures, groups) : null);
    }

    private SuiteRow.Lead lead(Figures other, List<List<Integer>> groups) {
        Figures mine = new Figures(ours);
        Function<int[], @Nullable Double> f1 = rows -> less(mine.f1(rows), other.f1(rows));
        Function<int[], @Nullable Double> auc = rows -> less(mine.auc(rows), other.auc(rows));
        int[] every = ours.everyRow();
        return new SuiteRow.Lead(
                f1.apply(every),
                bootstrap.interval(groups, f1),
                auc.apply(every),
                other.scores == null ? null : bootstrap.interval(groups, auc));
    }

    private static @Nullable Double less(@Nullable Double a, @Nullable Double b) {
        return a == null || b == null ? null : Double.valueOf(a - b);
    }

    private static List<List<Integer>> groups(Scored scored) {
        return List.copyOf(DecisionPoint.positions(scored.points()).values());
    }

    /** A gate's figures on drawn rows. */
    private static final class Figures {
        private final boolean[] labels;
        private final boolean[] decisions;
        private final double @Nullable [] scores;

        Figures(Scored scored) {
            labels = scored.labels();
            decisions = scored.decisions();
            List<Double> given = scored.scores();
            scores = given == null
                    ? null
                    : given.stream().mapToDouble(Double::doubleValue).toArray();
        }

        ConfusionMatrix counts(int[] rows) {
            return ConfusionMatrix.of(pick(decisions, rows), pick(labels, rows));
        }

        @Nullable
        Double f1(int[] rows) {
            return counts(rows).f1();
        }

        @Nullable
        Double auc(int[] rows) {
            if (scores == null) {
                return null;
            }
            double[] picked = new double[rows.length];
            for (int k = 0; k < rows.length; k++) {
                picked[k] = scores[rows[k]];
            }
            return RocCurve.area(picked, pick(labels, rows));
        }

        private static boolean[] pick(boolean[] values, int[] rows) {
            boolean[] picked = new boolean[rows.length];
            for (int k = 0; k < rows.length; k++) {
                picked[k] = values[rows[k]];
            }
            return picked;
        }
    }
}
