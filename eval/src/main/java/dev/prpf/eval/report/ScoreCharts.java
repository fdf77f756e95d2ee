package dev.prpf.eval.report;

import dev.prpf.base.report.BarChart;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.StackedBars;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.Figure;
import dev.prpf.eval.score.Outcome;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scores as drawings. */
public final class ScoreCharts {
    private static final List<Figure> RATES = List.of(Figure.SR, Figure.TYPE_ACC, Figure.FTR);

    private ScoreCharts() {}

    /** SR, Type-Acc and FTR by modality. */
    public static Block.Drawing byModality(Scores scores) {
        return bars("SR, Type-Acc and FTR by modality, percent, with intervals", labelled("", scores.byModality()));
    }

    /** SR, Type-Acc and FTR by difficulty. */
    public static Block.Drawing byDifficulty(Scores scores) {
        return bars(
                "SR, Type-Acc and FTR by difficulty, percent, with intervals", labelled("L", scores.byDifficulty()));
    }

    /** SR, Type-Acc and FTR of several systems. */
    public static Block.Drawing systems(Map<String, Scores> systems) {
        List<BarChart.Group> groups = new ArrayList<>();
        systems.forEach((name, scores) -> groups.add(group(name, scores.overall())));
        return bars("SR, Type-Acc and FTR of each system, percent, with intervals", groups);
    }

    /** Every sample by outcome under SR scoring, one bar a modality (after PRPF Figure 4). */
    public static Block.Drawing outcomes(ErrorAnalysis analysis) {
        List<StackedBars.Row> rows = new ArrayList<>();
        analysis.outcomes()
                .forEach((modality, counts) -> rows.add(new StackedBars.Row(
                        modality.label(),
                        List.of(Outcome.values()).stream()
                                .map(outcome -> counts.getOrDefault(outcome, 0))
                                .toList())));
        String caption = "Where the samples of each modality end under SR scoring, percent";
        List<String> parts =
                List.of(Outcome.values()).stream().map(Outcome::label).toList();
        return new Block.Drawing(caption, StackedBars.svg(caption, parts, rows));
    }

    private static Block.Drawing bars(String caption, List<BarChart.Group> groups) {
        List<String> series = RATES.stream().map(Figure::label).toList();
        return new Block.Drawing(caption, BarChart.svg(caption, series, groups));
    }

    private static List<BarChart.Group> labelled(String prefix, Map<String, Scores.Group> groups) {
        List<BarChart.Group> labelled = new ArrayList<>();
        groups.forEach((name, group) -> labelled.add(group(prefix + name, group)));
        return labelled;
    }

    private static BarChart.Group group(String name, Scores.Group group) {
        List<BarChart.Bar> bars = RATES.stream()
                .map(figure -> new BarChart.Bar(
                        group.metrics().get(figure), group.intervals().get(figure)))
                .toList();
        return new BarChart.Group(name + ", n = " + group.metrics().n(), bars);
    }
}
