package dev.prpf.mpp.tables;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The plots of {@link PerceiverTables}: one line for each variant, of its first seed. */
final class PerceiverCurves {
    private PerceiverCurves() {}

    static Block.Drawing roc(PerceiverTables tables) {
        List<LineChart.Line> lines = lines(tables, "AUC", RocCurve::points, RocCurve::area);
        lines.add(new LineChart.Line("chance", List.of(new LineChart.Point(0, 0), new LineChart.Point(100, 100))));
        String what = "ROC of the trigger head: recall over false-trigger rate, percent";
        return drawing(tables, what, "false-trigger rate", lines);
    }

    static Block.Drawing precisionRecall(PerceiverTables tables) {
        List<LineChart.Line> lines = lines(tables, "AP", RocCurve::precisionRecall, RocCurve::averagePrecision);
        String what = "Precision over recall of the trigger head, percent; AP: average precision";
        return drawing(tables, what, "recall", lines);
    }

    static Block.Drawing shortlist(List<TopKRecall> recalls) {
        String caption = "Recall of the K most probable scenarios, percent (PRPF Table 8)";
        List<LineChart.Line> lines = List.of(
                line("all samples", recalls, TopKRecall::all),
                line("triggering samples", recalls, TopKRecall::triggering));
        return new Block.Drawing(caption, LineChart.svg(caption, new LineChart.Axes("K", null, 100.0, null), lines));
    }

    private static LineChart.Line line(String name, List<TopKRecall> recalls, Function<TopKRecall, Share> share) {
        return LineChart.Line.of(
                name,
                recalls,
                TopKRecall::k,
                recall -> Objects.requireNonNullElse(share.apply(recall).value(), Double.NaN));
    }

    private static List<LineChart.Line> lines(
            PerceiverTables tables,
            String areaName,
            BiFunction<double[], boolean[], List<LineChart.Point>> curve,
            BiFunction<double[], boolean[], @Nullable Double> area) {
        List<LineChart.Line> lines = new ArrayList<>();
        tables.runs().forEach((variant, runs) -> {
            double[] scores = runs.get(0).evaluated().pTrigger();
            boolean[] acts = runs.get(0).evaluated().acts();
            String name =
                    String.format(Locale.ROOT, "%s, %s %.3f", variant.label(), areaName, area.apply(scores, acts));
            lines.add(new LineChart.Line(name, curve.apply(scores, acts)));
        });
        return lines;
    }

    private static Block.Drawing drawing(PerceiverTables tables, String what, String x, List<LineChart.Line> lines) {
        String caption = what + "; seed " + tables.first().seed() + ", n = "
                + tables.first().evaluated().samples().size();
        return new Block.Drawing(caption, LineChart.svg(caption, new LineChart.Axes(x, 0.0, 100.0, null), lines));
    }
}
