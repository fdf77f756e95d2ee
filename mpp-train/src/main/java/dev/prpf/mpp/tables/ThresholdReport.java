package dev.prpf.mpp.tables;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.base.report.SvgFile;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.Point;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A threshold in reports: {@code threshold.csv}, the chart {@code threshold.svg}, and a sentence. */
public final class ThresholdReport {
    private ThresholdReport() {}

    /** Writes the curve as CSV and as a chart to a directory. */
    static void write(Path directory, TriggerThreshold threshold) {
        StringBuilder csv = new StringBuilder("tau,recall,specificity\n");
        threshold
                .curve()
                .forEach(point -> csv.append(String.format(
                        Locale.ROOT, "%.2f,%.4f,%.4f\n", point.tau(), point.recall(), point.specificity())));
        AtomicFiles.writeText(directory.resolve("threshold.csv"), csv.toString());
        SvgFile.write(directory.resolve("threshold.svg"), drawing(threshold));
    }

    /** Draws the curve (PRPF Figure 5): recall and specificity over τ, percent, with a dashed line at the chosen τ. */
    public static Block.Drawing drawing(TriggerThreshold threshold) {
        String caption = String.format(
                Locale.ROOT,
                "Recall and specificity of the gate over its threshold on the dev split, percent; dashed: the one"
                        + " chosen, %.2f",
                threshold.threshold());
        List<LineChart.Line> lines = List.of(
                LineChart.Line.of("recall", threshold.curve(), Point::tau, Point::recall),
                LineChart.Line.of("specificity", threshold.curve(), Point::tau, Point::specificity));
        LineChart.Axes axes = new LineChart.Axes("threshold τ", 0.0, 100.0, threshold.threshold());
        return new Block.Drawing(caption, LineChart.svg(caption, axes, lines));
    }

    /** Returns one line: τ, its rule, its metrics on dev, and its risk bound. */
    public static String sentence(TriggerThreshold threshold) {
        RiskControl control = threshold.riskControl();
        return String.format(
                        Locale.ROOT,
                        "tau %.2f (%s; on dev recall %.2f, specificity %.2f)",
                        threshold.threshold(),
                        threshold.constraint(),
                        threshold.recall(),
                        threshold.specificity())
                + (control == null ? ", no risk control" : "; risk control: " + sentence(control));
    }

    private static String sentence(RiskControl control) {
        return String.format(
                Locale.ROOT,
                "%s <= %s %% with confidence %s %%: %d errors in %d %s calibration samples, upper bound %.2f %% (Clopper-Pearson,"
                        + " Bonferroni over %d thresholds)",
                control.risk().label(),
                ThresholdRule.number(control.bound()),
                ThresholdRule.number(control.confidence()),
                control.errors(),
                control.samples(),
                control.risk().over(),
                control.upper(),
                control.grid());
    }
}
