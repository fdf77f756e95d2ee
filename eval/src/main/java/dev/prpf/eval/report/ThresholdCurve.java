package dev.prpf.eval.report;

import dev.prpf.eval.report.LineChart.Axes;
import dev.prpf.eval.report.LineChart.Line;
import dev.prpf.eval.report.LineChart.Point;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Recall and specificity of the gate over its threshold (PRPF Figure 5). */
public final class ThresholdCurve {
    private ThresholdCurve() {}

    /**
     * One threshold.
     *
     * @param tau the threshold
     * @param recall in percent
     * @param specificity in percent
     */
    public record Step(double tau, double recall, double specificity) {}

    /**
     * The drawing.
     *
     * @param steps in order of tau
     * @param chosen the threshold in use, marked by a dashed line
     */
    public static Block.Drawing drawing(List<Step> steps, double chosen) {
        String caption =
                "Recall and specificity of the gate over its threshold on the dev split, percent; dashed: the one chosen, "
                        + Shown.percent(chosen);
        return new Block.Drawing(
                caption,
                LineChart.svg(
                        caption,
                        new Axes("threshold τ", 0.0, 100.0, chosen),
                        List.of(line("recall", steps, Step::recall), line("specificity", steps, Step::specificity))));
    }

    private static Line line(String name, List<Step> steps, ToDoubleFunction<Step> value) {
        return new Line(
                name,
                steps.stream()
                        .map(step -> new Point(step.tau(), value.applyAsDouble(step)))
                        .toList());
    }
}
