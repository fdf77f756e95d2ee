package dev.prpf.base.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.report.LineChart.Axes;
import dev.prpf.base.report.LineChart.Line;
import dev.prpf.base.run.RunDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Draws a run's {@code metrics.jsonl} as curves over its steps. */
public final class TrainingCurves {
    private TrainingCurves() {}

    /**
     * Draws the named values; values that no line has are omitted.
     *
     * @param caption the drawing's caption
     * @param keys the values to draw together, such as "train_loss" and "dev_loss"
     * @return one drawing, or an empty list if no line has any of the values
     */
    public static List<Block.Drawing> drawing(String caption, Path runDirectory, List<String> keys) {
        List<JsonNode> metrics = RunDirectory.metrics(runDirectory);
        List<Line> lines = keys.stream()
                .map(key -> Line.of(
                        key,
                        metrics.stream()
                                .filter(line -> line.path(key).isNumber()
                                        && line.path("step").isNumber())
                                .toList(),
                        line -> line.path("step").doubleValue(),
                        line -> line.path(key).doubleValue()))
                .filter(line -> !line.points().isEmpty())
                .toList();
        return lines.isEmpty()
                ? List.of()
                : List.of(
                        new Block.Drawing(caption, LineChart.svg(caption, new Axes("step", null, null, null), lines)));
    }

    /** Returns the keys of numbers in the run's metrics except "step", in order of first appearance. */
    public static List<String> keys(Path runDirectory) {
        return RunDirectory.metrics(runDirectory).stream()
                .flatMap(line -> line.properties().stream())
                .filter(entry -> entry.getValue().isNumber() && !entry.getKey().equals("step"))
                .map(Map.Entry::getKey)
                .distinct()
                .toList();
    }
}
