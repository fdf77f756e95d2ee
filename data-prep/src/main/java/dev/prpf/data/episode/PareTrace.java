package dev.prpf.data.episode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.commons.io.FilenameUtils;

/**
 * Reads a trace of PARE (arXiv 2604.00842), as its benchmark exports it with {@code are_simulation_v1}. System prompts determine the
 * roles, since the names of PARE's classes changed. Calls are read from the logs of the models. An agent event without such a call was
 * made by an app during another call; its action has a cause.
 */
public final class PareTrace implements Episode.Source {
    /** The names of user functions that PARE offered in the last turn; its count of "read actions" needs them. */
    public static final String OFFERED = "offered_at_the_end";

    /** Errors of models, by name and count. PARE's ternary decisions exclude a trace with a {@code RateLimitError}. */
    public static final String ERRORS = "errors";

    private static final String VERSION = "are_simulation_v1";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Logs that become steps, or results of steps. */
    private static final List<String> USED = List.of(
            "system_prompt",
            "step",
            "tool_call",
            "observation",
            "error",
            "environment_notifications",
            "available_tools");

    /**
     * An entry of a trace.
     *
     * @param place for messages
     */
    record Entry(double time, JsonNode json, String place) {
        String text(String key) {
            JsonNode value = json.path(key);
            if (!value.isTextual()) {
                throw new InvalidDataException(place + "/" + key + ": is " + (value.isMissingNode() ? "missing" : value)
                        + ", must be a string");
            }
            return value.textValue();
        }
    }

    @Override
    public void read(Path file, Consumer<Episode> episodes) {
        JsonNode trace = JsonFile.object(file);
        require(trace.path("version").asText().equals(VERSION), file, "version", "\"" + VERSION + "\"", trace);
        for (String list : List.of("world_logs", "completed_events", "apps")) {
            require(trace.path(list).isArray(), file, list, "a list", trace);
        }
        require(
                trace.path("metadata").path("definition").isObject(),
                file,
                "metadata",
                "an object with a definition",
                trace);
        List<Entry> logs = new ArrayList<>();
        for (JsonNode log : trace.path("world_logs")) {
            Entry entry = entry(file + ": /world_logs/" + logs.size(), log(file, logs.size(), log), "timestamp");
            logs.add(entry);
        }
        logs.removeIf(log -> !USED.contains(log.json().path("log_type").asText()));
        List<Entry> events = new ArrayList<>();
        for (JsonNode event : trace.path("completed_events")) {
            events.add(entry(file + ": /completed_events/" + events.size(), event, "event_time"));
        }
        events.removeIf(
                event -> event.json().path("action").path("app").asText().isEmpty()
                        || !event.json().path("action").path("app").isTextual());
        String name = FilenameUtils.removeExtension(String.valueOf(file.getFileName()));
        episodes.accept(new PareEpisode(name, trace, logs, events).episode());
    }

    private static JsonNode log(Path file, int number, JsonNode log) {
        String place = file + ": /world_logs/" + number;
        if (!log.isTextual()) {
            throw new InvalidDataException(place + ": must be a string with JSON");
        }
        try {
            return JSON.readTree(log.textValue());
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(place + ": cannot be read as JSON: " + e.getOriginalMessage());
        }
    }

    private static Entry entry(String place, JsonNode json, String timeKey) {
        if (!json.path(timeKey).isNumber()) {
            throw new InvalidDataException(place + "/" + timeKey + ": must be a number");
        }
        return new Entry(json.path(timeKey).doubleValue(), json, place);
    }

    private static void require(boolean holds, Path file, String key, String what, JsonNode trace) {
        if (!holds) {
            JsonNode value = trace.path(key);
            throw new InvalidDataException(file + ": /" + key + ": " + (value.isValueNode() ? "is " + value + ", " : "")
                    + "must be " + what + "; give a trace that PARE exports with --export");
        }
    }

    /** Returns the entries of both lists by time. The sort is stable: a log precedes an event of its time. */
    static List<Entry> merged(List<Entry> logs, List<Entry> events) {
        List<Entry> all = new ArrayList<>(logs);
        all.addAll(events);
        all.sort(Comparator.comparingDouble(Entry::time));
        return all;
    }

    /** Returns the arguments of an object, or of a list of names and values. */
    static Map<String, JsonNode> arguments(JsonNode arguments) {
        Map<String, JsonNode> map = new LinkedHashMap<>();
        if (arguments.isObject()) {
            arguments.properties().forEach(argument -> map.put(argument.getKey(), argument.getValue()));
        } else {
            arguments.forEach(argument -> map.put(argument.path("name").asText(), argument.path("value")));
        }
        return map;
    }
}
