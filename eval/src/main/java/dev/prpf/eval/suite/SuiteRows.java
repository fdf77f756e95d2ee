package dev.prpf.eval.suite;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The rows of a table: metrics, intervals over whole groups, and by how much ours is ahead of a baseline on the same draws. */
record SuiteRows(Bootstrap bootstrap, Scored ours) {
    /** The threshold of a probability whose rarer class was oversampled, or weighted to the other one's sum. */
    static final double OVERSAMPLED = 0.5;

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
    List<SuiteRow> twoThresholds(String name, NestedScores scores, EnsembleExperiment.Threshold threshold) {
        return List.of(
                baseline(name, scores.at(OVERSAMPLED)), baseline(name + threshold.name(), scores.by(threshold.rule())));
    }

    private SuiteRow row(String name, SuiteRow.Kind kind, boolean primary, Scored scored) {
        boolean compared = kind != SuiteRow.Kind.OURS && scored.points().equals(ours.points());
        List<List<Integer>> groups = List.copyOf(NestedFolds.positionsByKey(DecisionPoint.groups(scored.points()))
                .values());
        List<@Nullable Interval> intervals =
                bootstrap.ofGroups(groups.size(), times -> estimates(scored, Bootstrap.drawn(groups, times), compared));
        double[] whole =
                estimates(scored, IntStream.range(0, scored.points().size()).toArray(), compared);
        ConfusionMatrix counts = ConfusionMatrix.of(scored.decisions(), scored.labels());
        return new SuiteRow(
                name,
                kind,
                primary,
                counts.total(),
                counts.precision(),
                counts.recall(),
                intervals.get(0),
                counts.f1(),
                intervals.get(1),
                counts.accuracy(),
                counts.falseTriggerRate(),
                intervals.get(2),
                counts.falseAlarm(),
                counts.triggerRate(),
                orNull(whole[3]),
                intervals.get(3),
                compared
                        ? new SuiteRow.Lead(orNull(whole[4]), intervals.get(4), orNull(whole[5]), intervals.get(5))
                        : null);
    }

    /** Recall, F1, false-trigger rate and AUC at these positions; then by how much ours leads in F1 and AUC, if it is compared. */
    private double[] estimates(Scored scored, int[] rows, boolean compared) {
        double[] its = metrics(scored.at(rows));
        if (!compared) {
            return its;
        }
        double[] mine = metrics(ours.at(rows));
        return new double[] {its[0], its[1], its[2], its[3], mine[1] - its[1], mine[3] - its[3]};
    }

    private static double[] metrics(Scored scored) {
        ConfusionMatrix counts = ConfusionMatrix.of(scored.decisions(), scored.labels());
        Double auc = scored.scores() == null ? null : RocCurve.area(scored.scores(), scored.labels());
        return new double[] {orNaN(counts.recall()), orNaN(counts.f1()), orNaN(counts.falseTriggerRate()), orNaN(auc)};
    }

    private static double orNaN(@Nullable Double value) {
        return value == null ? Double.NaN : value;
    }

    private static @Nullable Double orNull(double value) {
        return Double.isNaN(value) ? null : (Double) value;
    }
}
