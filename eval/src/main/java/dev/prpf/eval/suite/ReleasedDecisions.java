package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * What the released models did at the same events ({@code model_traces.zip}): a proposal is a trigger, an empty list is silence. The
 * models saw slightly other texts of the same recordings, so events are joined by trace and time, in order; six of the 233 events
 * were not shown to them, and an event whose call failed (no list as response) is left out.
 */
final class ReleasedDecisions {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ROOT = "eval/traces_new/";

    private final Path folder;
    private final Map<String, List<DecisionPoint>> traces; // file name -> the points of that recording, in order

    private ReleasedDecisions(Path folder, Map<String, List<DecisionPoint>> traces) {
        this.folder = folder;
        this.traces = traces;
    }

    /**
     * Reads the recordings of {@code test_data/} and finds the labelled point of each of their events.
     *
     * @throws PrpfException 69 if files are missing, 65 if an event has no labelled point
     */
    static ReleasedDecisions read(Path folder, List<DecisionPoint> real) {
        Map<List<DecisionPoint.Event>, DecisionPoint> byEvents = new HashMap<>();
        real.forEach(point -> byEvents.put(point.events(), point));
        Map<String, List<DecisionPoint>> traces = new LinkedHashMap<>();
        for (String kind : List.of("code", "writing")) {
            for (int number = 11; number <= 16; number++) {
                String name = kind + "_" + number + ".json";
                traces.put(name, points(folder.resolve("test_data").resolve(name), byEvents));
            }
        }
        return new ReleasedDecisions(folder, traces);
    }

    /** Each model's decisions, by its name. */
    Map<String, Scored> byModel() {
        Path archive = folder.resolve("model_traces.zip");
        if (!Files.isRegularFile(archive)) {
            throw missing(archive);
        }
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            Map<String, Scored> models = new LinkedHashMap<>();
            for (String model : models(zip)) {
                models.put(model, decisions(zip, model));
            }
            return models;
        } catch (IOException e) {
            throw new InvalidDataException("ProactiveBench: " + archive + " cannot be read: " + e.getMessage()
                    + "; use the file of " + ProactiveBench.SOURCE);
        }
    }

    private static SortedSet<String> models(ZipFile zip) {
        SortedSet<String> models = new TreeSet<>();
        zip.stream()
                .map(ZipEntry::getName)
                .filter(name -> name.startsWith(ROOT) && name.endsWith(".json"))
                .forEach(name -> models.add(name.substring(ROOT.length(), name.indexOf('/', ROOT.length()))));
        return models;
    }

    private Scored decisions(ZipFile zip, String model) throws IOException {
        List<DecisionPoint> seen = new ArrayList<>();
        List<Boolean> triggers = new ArrayList<>();
        for (Map.Entry<String, List<DecisionPoint>> trace : traces.entrySet()) {
            String name = ROOT + model + "/" + trace.getKey();
            ZipEntry entry = zip.getEntry(name);
            if (entry == null) {
                throw new InvalidDataException("ProactiveBench: model_traces.zip lacks " + name + "; use the file of "
                        + ProactiveBench.SOURCE);
            }
            try (InputStream in = zip.getInputStream(entry)) {
                int from = 0;
                for (JsonNode step : JSON.readTree(in)) {
                    int at = match(trace.getValue(), from, ProactiveBench.event(step.path("observation"), name));
                    Boolean trigger = trigger(step.path("agent_response"));
                    if (at >= 0 && trigger != null) {
                        seen.add(trace.getValue().get(at));
                        triggers.add(trigger);
                    }
                    from = Math.max(from, at + 1);
                }
            }
        }
        boolean[] decisions = new boolean[triggers.size()];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = triggers.get(i);
        }
        return new Scored(seen, null, decisions);
    }

    /** The next point of that time, the one of the same words if there are several; -1 if there is none. */
    private static int match(List<DecisionPoint> points, int from, DecisionPoint.Event shown) {
        int found = -1;
        for (int i = from; i < points.size(); i++) {
            List<DecisionPoint.Event> events = points.get(i).events();
            DecisionPoint.Event event = events.get(events.size() - 1);
            if (event.equals(shown)) {
                return i;
            }
            if (found < 0 && event.time().equals(shown.time())) {
                found = i;
            }
        }
        return found;
    }

    private static @Nullable Boolean trigger(JsonNode response) {
        if (!response.isArray()) {
            return null;
        }
        for (JsonNode proposal : response) {
            String text = proposal.isTextual() ? proposal.textValue() : proposal.toString();
            if (!text.isBlank() && !text.equals("null")) {
                return true;
            }
        }
        return false;
    }

    private static List<DecisionPoint> points(Path file, Map<List<DecisionPoint.Event>, DecisionPoint> byEvents) {
        if (!Files.isRegularFile(file)) {
            throw missing(file);
        }
        List<DecisionPoint.Event> events = new ArrayList<>();
        List<DecisionPoint> points = new ArrayList<>();
        for (JsonNode step : steps(file)) {
            events.add(ProactiveBench.event(step.path("observation"), file.toString()));
            DecisionPoint point = byEvents.get(events);
            if (point == null) {
                throw new InvalidDataException("ProactiveBench: event " + events.size() + " of " + file
                        + " has no labelled point in reward_data; use the files of " + ProactiveBench.SOURCE);
            }
            points.add(point);
        }
        return points;
    }

    private static JsonNode steps(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (IOException e) {
            throw new InvalidDataException("ProactiveBench: " + file + " is no JSON: " + e.getMessage()
                    + "; use the files of " + ProactiveBench.SOURCE);
        }
    }

    private static PrpfException missing(Path file) {
        return new UnavailableException("ProactiveBench: " + file + " is missing; get the data of "
                + ProactiveBench.SOURCE + " and name their folder with --data (or the system property prpf.testdata)");
    }
}
