package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * Decisions of the released models at the same events ({@code model_traces.zip}, in the repository {@code traces.zip}): a proposal is a
 * trigger, an empty list is silence. The models saw slightly other texts of the same recordings, so events are joined by trace and time, in
 * order; six of the 233 events were not shown to them, and an event whose call failed (no list as response) is left out.
 */
final class ReleasedDecisions {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ROOT = "eval/traces_new/";

    private ReleasedDecisions() {}

    /**
     * Reads each model's decisions, by its name.
     *
     * @param real the labelled points of recorded traces
     * @throws PrpfException 69 if files are missing, 65 if an event of a recording has no labelled point or an archive is not such a file
     */
    static Map<String, Scored> read(DataFolder data, List<DecisionPoint> real) {
        Map<String, List<DecisionPoint>> traces = traces(data, real);
        BenchmarkFile archive = data.file(data.find("model_traces.zip", "traces.zip"));
        try (ZipFile zip = new ZipFile(archive.path().toFile())) {
            Map<String, Scored> models = new LinkedHashMap<>();
            for (String model : models(zip)) {
                models.put(model, decisions(archive, zip, model, traces));
            }
            return models;
        } catch (IOException e) {
            throw archive.bad("as a whole", "cannot be read: " + e.getMessage());
        }
    }

    /** The recordings of {@code test_data/}: file name to the labelled point of each event, in order. */
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

    private static SortedSet<String> models(ZipFile zip) {
        return zip.stream()
                .map(ZipEntry::getName)
                .filter(name -> name.startsWith(ROOT) && name.endsWith(".json"))
                .map(name -> name.substring(ROOT.length(), name.indexOf('/', ROOT.length())))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Scored decisions(
            BenchmarkFile archive, ZipFile zip, String model, Map<String, List<DecisionPoint>> traces)
            throws IOException {
        List<DecisionPoint> seen = new ArrayList<>();
        List<Boolean> triggers = new ArrayList<>();
        for (Map.Entry<String, List<DecisionPoint>> trace : traces.entrySet()) {
            String name = ROOT + model + "/" + trace.getKey();
            ZipEntry entry = zip.getEntry(name);
            if (entry == null) {
                throw archive.bad("/" + name, "is missing");
            }
            try (InputStream in = zip.getInputStream(entry)) {
                int from = 0;
                for (JsonNode step : JSON.readTree(in)) {
                    DecisionPoint.Event shown = ProactiveBench.event(archive, "/" + name, step.path("observation"));
                    int at = match(trace.getValue(), from, shown);
                    Boolean trigger = trigger(step.path("agent_response"));
                    if (at >= 0 && trigger != null) {
                        seen.add(trace.getValue().get(at));
                        triggers.add(trigger);
                    }
                    from = Math.max(from, at + 1);
                }
            }
        }
        return new Scored(seen, null, ArrayUtils.toPrimitive(triggers.toArray(Boolean[]::new)));
    }

    /** The next point of that time, the one of the same words if there are several; -1 if there is none. */
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
                        .map(proposal -> proposal.isTextual() ? proposal.textValue() : proposal.toString())
                        .anyMatch(text -> !text.isBlank() && !text.equals("null"));
    }
}
