package dev.prpf.base.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.report.LineChart.Axes;
import dev.prpf.base.report.LineChart.Line;
import dev.prpf.base.report.LineChart.Point;
import dev.prpf.base.run.RunDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A run's {@code metrics.jsonl} as curves over its steps. */
public final class TrainingCurves {
    private TrainingCurves() {}

    /**
     * One drawing of the named values; values that no line has are left out.
     *
     * @param caption what it shows
     * @param runDirectory of the training run
     * @param keys the values to draw together, such as "train_loss" and "dev_loss"
     * @return one drawing, or none when no line has any of the values
     */
    public static List<Block.Drawing> drawing(String caption, Path runDirectory, List<String> keys) {
        Map<String, List<Point>> curves = new LinkedHashMap<>();
        for (JsonNode line : RunDirectory.metrics(runDirectory)) {
            for (String key : keys) {
                if (line.path(key).isNumber() && line.path("step").isNumber()) {
                    curves.computeIfAbsent(key, unseen -> new ArrayList<>())
                            .add(new Point(
                                    line.get("step").doubleValue(),
                                    line.get(key).doubleValue()));
                }
            }
        }
        List<Line> lines = curves.entrySet().stream()
                .map(curve -> new Line(curve.getKey(), curve.getValue()))
                .filter(line -> !line.points().isEmpty())
                .toList();
        return lines.isEmpty()
                ? List.of()
                : List.of(
                        new Block.Drawing(caption, LineChart.svg(caption, new Axes("step", null, null, null), lines)));
    }

    /** The names of the numbers that the run's lines carry, "step" left out, in order of first appearance. */
    public static List<String> keys(Path runDirectory) {
        List<String> keys = new ArrayList<>();
        for (JsonNode line : RunDirectory.metrics(runDirectory)) {
            line.properties().forEach(entry -> {
                boolean curve = entry.getValue().isNumber() && !entry.getKey().equals("step");
                if (curve && !keys.contains(entry.getKey())) {
                    keys.add(entry.getKey());
                }
            });
        }
        return keys;
    }
}
