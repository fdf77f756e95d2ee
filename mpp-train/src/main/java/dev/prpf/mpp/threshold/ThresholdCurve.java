package dev.prpf.mpp.threshold;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.mpp.threshold.TriggerThreshold.Point;
import java.util.List;
import java.util.Locale;

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
        List<Point> curve = threshold.curve();
        String caption = String.format(
                Locale.ROOT,
                "Recall and specificity of the gate over its threshold on the dev split, percent; dashed: the one"
                        + " chosen, %.2f",
                threshold.threshold());
        List<LineChart.Line> lines = List.of(
                LineChart.Line.of("recall", curve, Point::tau, Point::recall),
                LineChart.Line.of("specificity", curve, Point::tau, Point::specificity));
        LineChart.Axes axes = new LineChart.Axes("threshold τ", 0.0, 100.0, threshold.threshold());
        return new Block.Drawing(caption, LineChart.svg(caption, axes, lines));
    }
}
