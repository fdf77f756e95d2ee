package dev.prpf.cli.sweep;

import dev.prpf.base.report.BarChart;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The plots of a sweep. Over a numeric axis: metrics, with a line for each combination of the other axes. Without such an axis: bars of the
 * metrics in percent.
 */
record SweepFigures(SweepTable table) {
    private static final int MOST_LINES = 8;

    List<Block.Drawing> drawings() {
        List<SweepTable.Row> rows = table.rows();
        Axis across = table.shownAxes().stream()
                .filter(axis ->
                        axis.values().size() > 1 && axis.values().stream().allMatch(SweepFigures::isNumber))
                .findFirst()
                .orElse(null);
        if (rows.isEmpty() || table.metrics().isEmpty()) {
            return List.of();
        }
        if (across == null) {
            return bars();
        }
        boolean together = table.shownAxes().size() == 1
                && table.metrics().size() <= MOST_LINES
                && table.metrics().stream().allMatch(this::isPercent);
        return together
                ? curves(across, table.metrics())
                : table.metrics().stream()
                        .flatMap(metric -> curves(across, List.of(metric)).stream())
                        .toList();
    }

    private static boolean isNumber(String text) {
        return text.matches("-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");
    }

    private boolean isPercent(String metric) {
        return table.rows().stream()
                .map(row -> mean(row, metric))
                .allMatch(value -> value == null || (value >= 0 && value <= 100));
    }

    /** Returns whether the metric is a threshold, which has no bar on a scale of percent. */
    private static boolean isThreshold(String metric) {
        return metric.replaceFirst(".*[./]", "").toLowerCase(Locale.ROOT).matches(".*threshold|tau");
    }

    private static @Nullable Double mean(SweepTable.Row row, String metric) {
        return statistics(row, metric).mean();
    }

    private static MeanStd statistics(SweepTable.Row row, String metric) {
        return Objects.requireNonNull(row.metrics().get(metric), metric);
    }

    private List<Block.Drawing> curves(Axis across, List<String> metrics) {
        Map<String, List<LineChart.Point>> lines = new LinkedHashMap<>();
        for (SweepTable.Row row : table.rows()) {
            String others = row.values().entrySet().stream()
                    .filter(value -> !value.getKey().equals(across.key()))
                    .map(value -> value.getKey() + "=" + value.getValue())
                    .collect(Collectors.joining(", "));
            for (String metric : metrics) {
                Double value = mean(row, metric);
                if (value != null) {
                    lines.computeIfAbsent(others.isEmpty() ? metric : others, first -> new ArrayList<>())
                            .add(new LineChart.Point(
                                    Double.parseDouble(
                                            Objects.requireNonNull(row.values().get(across.key()))),
                                    value));
                }
            }
        }
        if (lines.isEmpty()) {
            return List.of();
        }
        String caption = String.join(", ", metrics) + " over " + across.key()
                + (lines.size() > MOST_LINES ? " (the first " + MOST_LINES + " of " + lines.size() + " lines)" : "");
        List<LineChart.Line> drawn = lines.entrySet().stream()
                .limit(MOST_LINES)
                .map(line -> new LineChart.Line(line.getKey(), line.getValue()))
                .toList();
        LineChart.Axes axes = new LineChart.Axes(across.key(), null, null, null);
        return List.of(new Block.Drawing(caption, LineChart.svg(caption, axes, drawn)));
    }

    private List<Block.Drawing> bars() {
        List<String> percent = table.metrics().stream().filter(this::isPercent).toList();
        boolean thresholds = percent.stream().allMatch(SweepFigures::isThreshold);
        List<String> metrics = percent.stream()
                .filter(metric -> thresholds || !isThreshold(metric))
                .limit(MOST_LINES)
                .toList();
        if (metrics.isEmpty()) {
            return List.of();
        }
        Map<String, List<BarChart.Bar>> groups = new LinkedHashMap<>();
        for (SweepTable.Row row : table.rows()) {
            List<BarChart.Bar> bars = metrics.stream()
                    .map(metric -> statistics(row, metric))
                    .map(over -> new BarChart.Bar(over.mean(), within(over.interval())))
                    .toList();
            groups.put(label(row), bars);
        }
        String caption = String.join(", ", metrics)
                + (table.overSeeds() ? "; mean over seeds with its 95 percent interval" : "");
        return List.of(new Block.Drawing(caption, BarChart.svg(caption, metrics, groups)));
    }

    /** Clips an interval to the range of percent. */
    private static @Nullable Interval within(@Nullable Interval interval) {
        return interval == null
                ? null
                : new Interval(Math.max(0, Math.min(100, interval.low())), Math.max(0, Math.min(100, interval.high())));
    }

    private static String label(SweepTable.Row row) {
        return row.values().isEmpty()
                ? row.members() + " seeds"
                : row.values().entrySet().stream()
                        .map(value -> value.getKey() + "=" + value.getValue())
                        .collect(Collectors.joining(", "));
    }
}
