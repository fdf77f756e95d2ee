package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The human-labelled decision points of ProactiveBench (arXiv 2410.12361): the rows of both released files, grouped by their exact
 * observations. The released split is ignored, since every observation list of its test file stands in its training file too.
 *
 * @param points in order of first appearance
 */
record ProactiveBench(List<DecisionPoint> points) {
    static final DataSource SOURCE = new DataSource("thunlp/ProactiveAgent", "86383616");

    private static final List<String> FILES = List.of("train_data.jsonl", "test_data.jsonl");

    ProactiveBench {
        points = List.copyOf(points);
    }

    /**
     * Reads {@code reward_data/}.
     *
     * @throws PrpfException 69 if a file is missing, 65 if a line is not such a record or two rows of a point disagree on the label
     */
    static ProactiveBench read(DataFolder data) {
        Path folder = data.find("reward_data");
        Map<List<DecisionPoint.Event>, DecisionPoint> points = new LinkedHashMap<>();
        for (String name : FILES) {
            BenchmarkFile file = data.file(folder.resolve(name));
            List<JsonNode> rows = file.lines();
            for (int i = 0; i < rows.size(); i++) {
                String place = "line " + (i + 1);
                DecisionPoint point = point(file, place, rows.get(i));
                DecisionPoint known = points.putIfAbsent(point.events(), point);
                if (known != null && known.helpNeeded() != point.helpNeeded()) {
                    throw file.bad(
                            place + "/help_needed",
                            "is " + point.helpNeeded() + ", must be as in an earlier row with the same obs");
                }
            }
        }
        return new ProactiveBench(List.copyOf(points.values()));
    }

    /** The points of recorded traces alone (the primary set), without those of traces that a language model wrote. */
    List<DecisionPoint> real() {
        return points.stream()
                .filter(point -> !point.events().get(0).time().startsWith("Day"))
                .toList();
    }

    private static DecisionPoint point(BenchmarkFile file, String place, JsonNode row) {
        JsonNode observations = row.path("obs");
        if (!observations.isArray() || observations.isEmpty()) {
            throw file.bad(
                    place + "/obs", "is " + BenchmarkFile.shown(observations) + ", must be a list that is not empty");
        }
        JsonNode label = row.path("help_needed");
        if (!label.isBoolean()) {
            throw file.bad(place + "/help_needed", "is " + BenchmarkFile.shown(label) + ", must be true or false");
        }
        List<DecisionPoint.Event> events = new ArrayList<>();
        for (JsonNode observation : observations) {
            events.add(event(file, place + "/obs/" + events.size(), observation));
        }
        return DecisionPoint.inTrace(events, label.booleanValue());
    }

    static DecisionPoint.Event event(BenchmarkFile file, String place, JsonNode observation) {
        return new DecisionPoint.Event(file.text(observation, "time", place), file.text(observation, "event", place));
    }
}
