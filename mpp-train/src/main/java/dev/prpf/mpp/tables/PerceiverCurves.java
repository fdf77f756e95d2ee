package dev.prpf.mpp.tables;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The plots of {@link PerceiverTables}: one line a variant, of its first seed. */
final class PerceiverCurves {
    private PerceiverCurves() {}

    static Block.Drawing roc(PerceiverTables tables) {
        List<LineChart.Line> lines = lines(tables, "AUC", RocCurve::points, RocCurve::area);
        lines.add(new LineChart.Line("chance", List.of(new LineChart.Point(0, 0), new LineChart.Point(100, 100))));
        return drawing(
                tables,
                "ROC of the trigger head: recall over false-trigger rate, percent",
                "false-trigger rate",
                lines);
    }

    static Block.Drawing precisionRecall(PerceiverTables tables) {
        return drawing(
                tables,
                "Precision over recall of the trigger head, percent; AP: average precision",
                "recall",
                lines(tables, "AP", RocCurve::precisionRecall, RocCurve::averagePrecision));
    }

    static Block.Drawing topK(List<TopKRecall> recalls) {
        String caption = "Recall of the K most probable scenarios, percent (PRPF Table 8)";
        return new Block.Drawing(
                caption,
                LineChart.svg(
                        caption,
                        new LineChart.Axes("K", null, 100.0, null),
                        List.of(
                                recallLine("all samples", recalls, TopKRecall::all),
                                recallLine("triggering samples", recalls, TopKRecall::triggering))));
    }

    private static LineChart.Line recallLine(String name, List<TopKRecall> recalls, Function<TopKRecall, Share> of) {
        ToDoubleFunction<TopKRecall> percent = recall -> {
            Double value = of.apply(recall).value();
            return value == null ? Double.NaN : value;
        };
        return new LineChart.Line(
                name,
                recalls.stream()
                        .map(recall -> new LineChart.Point(recall.k(), percent.applyAsDouble(recall)))
                        .toList());
    }

    private static List<LineChart.Line> lines(
            PerceiverTables tables,
            String areaName,
            BiFunction<double[], boolean[], List<RocCurve.CurvePoint>> curve,
            BiFunction<double[], boolean[], @Nullable Double> area) {
        List<LineChart.Line> lines = new ArrayList<>();
        tables.runs().forEach((variant, runs) -> {
            double[] scores = runs.get(0).evaluated().pTrigger();
            boolean[] acts = runs.get(0).evaluated().acts();
            lines.add(new LineChart.Line(
                    String.format(Locale.ROOT, "%s, %s %.3f", variant.label(), areaName, area.apply(scores, acts)),
                    curve.apply(scores, acts).stream()
                            .map(point -> new LineChart.Point(point.x(), point.y()))
                            .toList()));
        });
        return lines;
    }

    private static Block.Drawing drawing(PerceiverTables tables, String what, String x, List<LineChart.Line> lines) {
        String caption = what + "; seed " + tables.first().seed() + ", n = "
                + tables.first().evaluated().samples().size();
        return new Block.Drawing(caption, LineChart.svg(caption, new LineChart.Axes(x, 0.0, 100.0, null), lines));
    }
}
