package dev.prpf.eval.suite;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
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
public record ProactiveBench(List<DecisionPoint> points) {
    /** Where the data come from. */
    public static final String SOURCE = "github.com/thunlp/ProactiveAgent at commit 86383616";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> FILES = List.of("train_data.jsonl", "test_data.jsonl");

    public ProactiveBench {
        points = List.copyOf(points);
    }

    /**
     * Reads {@code reward_data/} of the folder.
     *
     * @throws PrpfException 69 if a file is missing, 65 if a line is not such a record or two rows of a point disagree on the label
     */
    public static ProactiveBench read(Path folder) {
        Map<List<DecisionPoint.Event>, DecisionPoint> points = new LinkedHashMap<>();
        for (String name : FILES) {
            Path file = folder.resolve("reward_data").resolve(name);
            List<String> lines = lines(file);
            for (int i = 0; i < lines.size(); i++) {
                String place = file + " line " + (i + 1);
                DecisionPoint point = point(lines.get(i), place);
                DecisionPoint known = points.putIfAbsent(point.events(), point);
                if (known != null && known.helpNeeded() != point.helpNeeded()) {
                    throw new InvalidDataException("ProactiveBench: " + place + " says help_needed = "
                            + point.helpNeeded()
                            + ", an earlier row with the same obs says the contrary; use the files of " + SOURCE);
                }
            }
        }
        return new ProactiveBench(List.copyOf(points.values()));
    }

    /** The points of recorded traces alone (the primary set). */
    public List<DecisionPoint> real() {
        return points.stream().filter(point -> !synthetic(point)).toList();
    }

    /** Whether a point's trace was written by a language model rather than recorded. */
    private static boolean synthetic(DecisionPoint point) {
        return point.events().get(0).time().startsWith("Day");
    }

    private static List<String> lines(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException("ProactiveBench: " + file + " is missing; get the data of " + SOURCE
                    + " and name their folder with --data (or the system property prpf.testdata)");
        }
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new InvalidDataException("ProactiveBench: " + file + " cannot be read: " + e, e);
        }
    }

    private static DecisionPoint point(String line, String place) {
        JsonNode row;
        try {
            row = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException("ProactiveBench: " + place + " is no JSON (" + e.getOriginalMessage()
                    + "); use the files of " + SOURCE);
        }
        JsonNode observations = row.path("obs");
        if (!observations.isArray()
                || observations.isEmpty()
                || !row.path("help_needed").isBoolean()) {
            throw new InvalidDataException("ProactiveBench: " + place
                    + " lacks a filled list obs or a boolean help_needed; use the files of " + SOURCE);
        }
        List<DecisionPoint.Event> events = new ArrayList<>();
        for (JsonNode observation : observations) {
            events.add(event(observation, place));
        }
        return DecisionPoint.inTrace(events, row.path("help_needed").booleanValue());
    }

    static DecisionPoint.Event event(JsonNode observation, String place) {
        JsonNode time = observation.path("time");
        JsonNode text = observation.path("event");
        if (!time.isTextual() || !text.isTextual()) {
            throw new InvalidDataException(
                    "ProactiveBench: " + place + " has an observation without text in time and event: " + observation
                            + "; use the files of " + SOURCE);
        }
        return new DecisionPoint.Event(time.textValue(), text.textValue());
    }
}
