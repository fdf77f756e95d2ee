package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * Decisions of the released models at the same events ({@code model_traces.zip}, in the repository {@code traces.zip}): a
 * proposal is a trigger, an empty list is silence. The models saw slightly different texts of the same recordings, so events are
 * joined by trace and time, in order. Six of the 233 events were not shown to them; an event with a failed call (no list as
 * response) is excluded.
 */
final class ReleasedDecisions {
    private ReleasedDecisions() {}

    /**
     * Reads the decisions of each model, by name.
     *
     * @param real the labelled points of recorded traces
     * @throws PrpfException 69 if files are missing, 65 if an event of a recording has no labelled point or an archive is invalid
     */
    static Map<String, Scored> read(DataFolder data, List<DecisionPoint> real) {
        Map<String, List<DecisionPoint>> traces = traces(data, real);
        BenchmarkFile archive = data.file(data.find("model_traces.zip", "traces.zip"));
        try (FileSystem zip = FileSystems.newFileSystem(archive.path());
                Stream<Path> folders = Files.list(zip.getPath("eval", "traces_new"))) {
            Map<String, Scored> models = new TreeMap<>();
            for (Path model : folders.filter(Files::isDirectory).toList()) {
                models.put(String.valueOf(model.getFileName()), decisions(archive, model, traces));
            }
            return models;
        } catch (IOException e) {
            throw archive.bad("as a whole", "cannot be read: " + e.getMessage());
        }
    }

    /** Returns the labelled points of the recordings in {@code test_data/}, by file name, in order. */
    private static Map<String, List<DecisionPoint>> traces(DataFolder data, List<DecisionPoint> real) {
        Map<List<DecisionPoint.Event>, DecisionPoint> byEvents = new HashMap<>();
        real.forEach(point -> byEvents.put(point.events(), point));
        Map<String, List<DecisionPoint>> traces = new LinkedHashMap<>();
        Path folder = data.find("test_data");
        for (String kind : List.of("code", "writing")) {
            for (int number = 11; number <= 16; number++) {
                String name = kind + "_" + number + ".json";
                traces.put(name, points(data.file(folder.resolve(name)), byEvents));
            }
        }
        return traces;
    }

    private static List<DecisionPoint> points(
            BenchmarkFile file, Map<List<DecisionPoint.Event>, DecisionPoint> byEvents) {
        List<DecisionPoint.Event> events = new ArrayList<>();
        List<DecisionPoint> points = new ArrayList<>();
        for (JsonNode step : file.tree()) {
            String place = "/" + events.size();
            events.add(ProactiveBench.event(file, place + "/observation", step.path("observation")));
            DecisionPoint point = byEvents.get(events);
            if (point == null) {
                throw file.bad(place, "has no labelled point in reward_data");
            }
            points.add(point);
        }
        return points;
    }

    private static Scored decisions(BenchmarkFile archive, Path model, Map<String, List<DecisionPoint>> traces) {
        List<DecisionPoint> seen = new ArrayList<>();
        List<Boolean> triggers = new ArrayList<>();
        traces.forEach((name, points) -> {
            BenchmarkFile file = new BenchmarkFile(model.resolve(name), archive.source());
            String place = "/" + file.path();
            if (!Files.exists(file.path())) {
                throw archive.bad(place, "is missing");
            }
            int from = 0;
            for (JsonNode step : file.tree()) {
                int at = match(points, from, ProactiveBench.event(archive, place, step.path("observation")));
                Boolean trigger = trigger(step.path("agent_response"));
                if (at >= 0 && trigger != null) {
                    seen.add(points.get(at));
                    triggers.add(trigger);
                }
                from = Math.max(from, at + 1);
            }
        });
        return new Scored(seen, null, ArrayUtils.toPrimitive(triggers.toArray(Boolean[]::new)));
    }

    /** Returns the next point at the same time, preferably with the same text; -1 without one. */
    private static int match(List<DecisionPoint> points, int from, DecisionPoint.Event shown) {
        List<Integer> ofThatTime = IntStream.range(from, points.size())
                .filter(i -> points.get(i).last().time().equals(shown.time()))
                .boxed()
                .toList();
        return ofThatTime.stream()
                .filter(i -> points.get(i).last().equals(shown))
                .findFirst()
                .orElse(ofThatTime.isEmpty() ? -1 : ofThatTime.get(0));
    }

    private static @Nullable Boolean trigger(JsonNode response) {
        return !response.isArray()
                ? null
                : (Boolean) StreamSupport.stream(response.spliterator(), false)
                        .map(JsonRecords::text)
                        .anyMatch(text -> !text.isBlank() && !text.equals("null"));
    }
}
