package dev.prpf.eval.report;

import dev.prpf.base.report.BarChart;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.StackedBars;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Outcome;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scores as drawings. */
final class ScoreCharts {
    private static final List<Metric> RATES = List.of(Metric.SR, Metric.TYPE_ACC, Metric.FTR);
    private static final List<Outcome> OUTCOMES = List.of(Outcome.values());

    private ScoreCharts() {}

    /**
     * SR, Type-Acc and FTR of several groups of samples, or of several systems, with intervals.
     *
     * @param of what the groups are, "by modality"
     * @param groups by name
     */
    static Block.Drawing rates(String of, Map<String, Scores.Group> groups) {
        String caption = "SR, Type-Acc and FTR " + of + ", percent, with intervals";
        List<BarChart.Group> bars = new ArrayList<>();
        groups.forEach((name, group) -> bars.add(new BarChart.Group(
                name + ", n = " + group.metrics().n(),
                RATES.stream()
                        .map(metric -> new BarChart.Bar(
                                group.metrics().get(metric), group.intervals().get(metric)))
                        .toList())));
        return new Block.Drawing(
                caption, BarChart.svg(caption, RATES.stream().map(Metric::label).toList(), bars));
    }

    /** Every sample by outcome under SR scoring, one bar a modality (after PRPF Figure 4). */
    static Block.Drawing outcomes(ErrorAnalysis analysis) {
        String caption = "Where the samples of each modality end under SR scoring, percent";
        List<StackedBars.Row> rows = new ArrayList<>();
        analysis.outcomes()
                .forEach((modality, counts) -> rows.add(new StackedBars.Row(
                        modality,
                        OUTCOMES.stream()
                                .map(outcome -> counts.getOrDefault(outcome, 0))
                                .toList())));
        return new Block.Drawing(
                caption,
                StackedBars.svg(caption, OUTCOMES.stream().map(Outcome::label).toList(), rows));
    }
}
