package dev.prpf.eval.suite;

import dev.prpf.mpp.gate.GateCounts;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A gate's figures. All are percentages (0 to 100) but auc (0 to 1); a figure that does not exist is null.
 *
 * @param name which gate, with the rule of its threshold
 * @param kind whose it is
 * @param primary whether it is the one row fixed before scoring
 * @param counts decisions against labels
 * @param auc area under the ROC curve of the pooled scores; null for a gate that only decides
 * @param f1Interval 95 % trace-bootstrap interval [low, high]
 * @param ftrInterval of the false-trigger rate, likewise
 * @param recallInterval likewise
 * @param aucInterval likewise
 */
public record SuiteRow(
        String name,
        Kind kind,
        boolean primary,
        GateCounts counts,
        @Nullable Double auc,
        @Nullable List<Double> f1Interval,
        @Nullable List<Double> ftrInterval,
        @Nullable List<Double> recallInterval,
        @Nullable List<Double> aucInterval) {
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

    static SuiteRow of(String name, Kind kind, boolean primary, Scored scored, TraceBootstrap bootstrap) {
        List<List<Integer>> traces =
                new ArrayList<>(TraceFold.positions(scored.points()).values());
        boolean[] labels = scored.labels();
        Function<int[], GateCounts> drawn = rows -> GateCounts.of(pick(scored.decisions(), rows), pick(labels, rows));
        double[] scores = scored.scores() == null
                ? null
                : scored.scores().stream().mapToDouble(Double::doubleValue).toArray();
        return new SuiteRow(
                name,
                kind,
                primary,
                GateCounts.of(scored.decisions(), labels),
                scores == null ? null : RocCurve.area(scores, labels),
                bootstrap.interval(traces, rows -> drawn.apply(rows).f1()),
                bootstrap.interval(traces, rows -> drawn.apply(rows).falseTriggerRate()),
                bootstrap.interval(traces, rows -> drawn.apply(rows).recall()),
                scores == null
                        ? null
                        : bootstrap.interval(traces, rows -> RocCurve.area(pick(scores, rows), pick(labels, rows))));
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
        row.put("recall_ci", recallInterval);
        row.put("f1", counts.f1());
        row.put("f1_ci", f1Interval);
        row.put("accuracy", counts.accuracy());
        row.put("ftr", counts.falseTriggerRate());
        row.put("ftr_ci", ftrInterval);
        row.put("false_alarm", counts.falseAlarm());
        row.put("trigger_rate", counts.triggerRate());
        row.put("auc", auc);
        row.put("auc_ci", aucInterval);
        return row;
    }

    private static boolean[] pick(boolean[] values, int[] rows) {
        boolean[] picked = new boolean[rows.length];
        for (int k = 0; k < rows.length; k++) {
            picked[k] = values[rows[k]];
        }
        return picked;
    }

    private static double[] pick(double[] values, int[] rows) {
        double[] picked = new double[rows.length];
        for (int k = 0; k < rows.length; k++) {
            picked[k] = values[rows[k]];
        }
        return picked;
    }
}
