package dev.prpf.mpp.threshold;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A threshold's curve (PRPF Figure 5) as a drawing and as a table. */
public final class ThresholdCurve {
    private ThresholdCurve() {}

    /** The points as lines of comma-separated values under their names. */
    public static String csv(TriggerThreshold threshold) {
        StringBuilder csv = new StringBuilder("tau,recall,specificity\n");
        threshold
                .curve()
                .forEach(point -> csv.append(String.format(
                        Locale.ROOT, "%.2f,%.4f,%.4f\n", point.tau(), point.recall(), point.specificity())));
        return csv.toString();
    }

    /** Recall and specificity over τ, percent; a dashed line marks the τ in use. */
    public static Block.Drawing drawing(TriggerThreshold threshold) {
        String caption = String.format(
                Locale.ROOT,
                "Recall and specificity of the gate over its threshold on the dev split, percent; dashed: the one"
                        + " chosen, %.2f",
                threshold.threshold());
        return new Block.Drawing(
                caption,
                LineChart.svg(
                        caption,
                        new LineChart.Axes("threshold τ", 0.0, 100.0, threshold.threshold()),
                        List.of(
                                line("recall", threshold, TriggerThreshold.Point::recall),
                                line("specificity", threshold, TriggerThreshold.Point::specificity))));
    }

    private static LineChart.Line line(
            String name, TriggerThreshold threshold, ToDoubleFunction<TriggerThreshold.Point> of) {
        return new LineChart.Line(
                name,
                threshold.curve().stream()
                        .map(point -> new LineChart.Point(point.tau(), of.applyAsDouble(point)))
                        .toList());
    }
}
