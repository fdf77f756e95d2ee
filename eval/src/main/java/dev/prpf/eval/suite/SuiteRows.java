package dev.prpf.eval.suite;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Creates the rows of a table: metrics, intervals over whole groups, and the lead of our gate on the same draws. */
record SuiteRows(Bootstrap bootstrap, Scored ours) {
    /** The threshold of a probability after oversampling or weighting the rarer class to equality. */
    static final double OVERSAMPLED = 0.5;

    /** Creates the row of our gate fixed before scoring. */
    SuiteRow primary(String name) {
        return row(name, SuiteRow.Kind.OURS, true, ours);
    }

    SuiteRow baseline(String name, Scored scored) {
        return row(name, SuiteRow.Kind.BASELINE, scored);
    }

    SuiteRow row(String name, SuiteRow.Kind kind, Scored scored) {
        return row(name, kind, false, scored);
    }

    /** Creates the rows of gates that never and always trigger. */
    List<SuiteRow> trivial() {
        return List.of(
                baseline("never", BaselineGates.always(false, ours.points())),
                baseline("always", BaselineGates.always(true, ours.points())));
    }

    /** Creates the rows of a baseline at one half and at the rule's inner thresholds. */
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
                exact(intervals.get(0), counts.recall(), groups, scored, true),
                counts.f1(),
                intervals.get(1),
                counts.accuracy(),
                counts.falseTriggerRate(),
                exact(intervals.get(2), counts.falseTriggerRate(), groups, scored, false),
                counts.falseAlarm(),
                counts.triggerRate(),
                orNull(whole[3]),
                intervals.get(3),
                compared
                        ? new SuiteRow.Lead(orNull(whole[4]), intervals.get(4), orNull(whole[5]), intervals.get(5))
                        : null);
    }

    /** Returns the interval of a share of the points with a label. */
    private @Nullable Interval exact(
            @Nullable Interval drawn,
            @Nullable Double share,
            List<List<Integer>> groups,
            Scored scored,
            boolean label) {
        Predicate<List<Integer>> counted = group -> group.stream().anyMatch(i -> scored.labels()[i] == label);
        return bootstrap.orExact(
                drawn, share, (int) groups.stream().filter(counted).count());
    }

    /** Returns recall, F1, false-trigger rate and AUC at positions, then our lead in F1 and AUC if compared. */
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
