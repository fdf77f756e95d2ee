package dev.prpf.data.episode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.episode.EpisodeStep.Actor;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.FilenameUtils;
import org.jspecify.annotations.Nullable;

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
        episodes.accept(new Conversion(name, trace, logs, events).episode());
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

    /** Converts the entries of one PARE trace to steps. */
    private static final class Conversion {
        private static final Map<String, Actor> ROLES = Map.of(
                "simulating a real human user", Actor.USER,
                "proactive assistant that monitors", Actor.OBSERVE,
                "proactive assistant executing", Actor.EXECUTE);
        private static final Pattern OFFER = Pattern.compile("(?m)^- (\\w+):");
        private static final Pattern NOTICE = Pattern.compile(
                "\\[(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d)] (.*?)(?=\\n\\[\\d{4}-\\d\\d-\\d\\d |\\z)",
                Pattern.DOTALL);
        private static final DateTimeFormatter TIME =
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
        private static final String POLLING = "get_due_reminders";

        /**
         * A call in the log of a model.
         *
         * @param end time of its result
         * @param event the event that the call made, or null
         */
        private record Call(Entry entry, Actor actor, double end, @Nullable Entry result, @Nullable Entry event) {}

        private final String name;
        private final JsonNode trace;
        private final List<Entry> logs;
        private final List<Entry> events;
        private final double start;
        private final Map<String, Actor> roles = new HashMap<>();
        private final Map<String, Call> calls = new HashMap<>();
        private final Set<String> made = new HashSet<>();
        private final Map<Actor, Map<String, Deque<String>>> notices = new EnumMap<>(Actor.class);
        private final Map<String, Integer> errors = new LinkedHashMap<>();
        private final List<String> offered = new ArrayList<>();
        private final List<EpisodeStep> steps = new ArrayList<>();
        private int turns;
        private @Nullable Integer open;
        private @Nullable Call last;
        private @Nullable Integer lastStep;
        private boolean reading;

        Conversion(String name, JsonNode trace, List<Entry> logs, List<Entry> events) {
            this.name = name;
            this.trace = trace;
            this.logs = logs;
            this.events = events;
            start = trace.path("metadata").path("definition").path("start_time").asDouble();
        }

        Episode episode() {
            logs.forEach(this::index);
            for (int i = 0; i < logs.size(); i++) {
                if (type(logs.get(i)).equals("tool_call")) {
                    index(logs.get(i), i);
                }
            }
            for (Entry entry : merged(logs, events)) {
                if (entry.json().has("action")) {
                    event(entry);
                } else if (type(entry).equals("step") && actor(entry) == Actor.USER) {
                    endOfReading(entry);
                    turns++;
                } else if (type(entry).equals("tool_call")) {
                    call(calls.get(entry.place()));
                }
            }
            end();
            return new Episode(header(), steps);
        }

        private static String type(Entry log) {
            return log.json().path("log_type").asText();
        }

        private @Nullable Actor actor(Entry log) {
            return roles.get(log.json().path("agent_id").asText());
        }

        private void index(Entry log) {
            switch (type(log)) {
                case "system_prompt" ->
                    ROLES.forEach((words, role) -> {
                        if (log.text("content").contains(words)) {
                            roles.put(log.text("agent_id"), role);
                        }
                    });
                case "error" -> errors.merge(log.text("error"), 1, Integer::sum);
                case "available_tools" -> {
                    offered.clear();
                    OFFER.matcher(log.text("content")).results().forEach(match -> offered.add(match.group(1)));
                }
                case "environment_notifications" -> notices(log);
                default -> {}
            }
        }

        private void notices(Entry log) {
            Actor actor = actor(log);
            if (actor == null) {
                return;
            }
            Matcher notice = NOTICE.matcher(log.text("content"));
            while (notice.find()) {
                if (!notice.group(2).equals("None")) {
                    notices.computeIfAbsent(actor, key -> new HashMap<>())
                            .computeIfAbsent(notice.group(1), key -> new ArrayDeque<>())
                            .add(notice.group(2).strip());
                }
            }
        }

        /** Finds the result of a call, the next one of its model, and the event that the call made. */
        private void index(Entry log, int place) {
            Actor actor = actor(log);
            if (actor == null) {
                return;
            }
            Entry result = logs.subList(place + 1, logs.size()).stream()
                    .filter(later -> actor(later) == actor
                            && List.of("observation", "error").contains(type(later)))
                    .findFirst()
                    .orElse(null);
            double end = result == null ? Double.POSITIVE_INFINITY : result.time();
            Entry event = events.stream()
                    .filter(one -> one.time() >= log.time() && one.time() <= end && !made.contains(one.place()))
                    .filter(one -> name(one).equals(log.text("tool_name")))
                    .filter(one -> one.json().path("event_type").asText().equals("USER") == (actor == Actor.USER))
                    .findFirst()
                    .orElse(null);
            calls.put(log.place(), new Call(log, actor, end, result, event));
            if (event != null) {
                made.add(event.place());
            }
        }

        private static String name(Entry event) {
            JsonNode action = event.json().path("action");
            return action.path("app").asText() + "__" + action.path("function").asText();
        }

        private double time(Entry entry) {
            return Math.round((entry.time() - start) * 1e3) / 1e3;
        }

        private @Nullable Integer turn() {
            return turns == 0 ? null : (Integer) (turns - 1);
        }

        private void event(Entry event) {
            if (made.contains(event.place())) {
                return;
            }
            JsonNode action = event.json().path("action");
            String app = action.path("app").asText();
            String function = action.path("function").asText();
            Map<String, JsonNode> arguments = arguments(action.path("args"));
            if (event.json().path("event_type").asText().equals("ENV")) {
                String at = TIME.format(Instant.ofEpochSecond((long) event.time()));
                EpisodeStep.Seen seen = new EpisodeStep.Seen(notice(Actor.USER, at), notice(Actor.OBSERVE, at));
                steps.add(new EpisodeStep.Event(
                        steps.size(), time(event), turn(), app, function, arguments, seen, false));
            } else if (last != null && lastStep != null && event.time() <= last.end()) {
                JsonNode facts = event.json().path("metadata");
                steps.add(new EpisodeStep.Action(
                        steps.size(),
                        time(event),
                        turn(),
                        last.actor(),
                        app,
                        function,
                        arguments,
                        effect(event),
                        text(facts.path("return_value")),
                        text(facts.path("exception")),
                        lastStep));
            } else if (!function.equals(POLLING)) {
                throw new InvalidDataException(
                        event.place() + ": " + name(event) + " belongs to no call; the trace lacks logs of a model");
            }
        }

        private @Nullable String notice(Actor actor, String at) {
            Deque<String> texts = notices.getOrDefault(actor, Map.of()).get(at);
            return texts == null ? null : texts.poll();
        }

        private static EpisodeStep.@Nullable Effect effect(@Nullable Entry event) {
            return event == null
                    ? null
                    : event.json()
                                    .path("action")
                                    .path("operation_type")
                                    .asText()
                                    .equals("WRITE")
                            ? EpisodeStep.Effect.WRITE
                            : EpisodeStep.Effect.READ;
        }

        private static @Nullable String text(JsonNode value) {
            return value.isNull() || value.isMissingNode() ? null : JsonRecords.text(value);
        }

        private void call(@Nullable Call call) {
            if (call == null) {
                return;
            }
            Entry log = call.entry();
            String[] names = log.text("tool_name").split("__", 2);
            Map<String, JsonNode> arguments = arguments(log.json().path("tool_arguments"));
            String function = names[names.length - 1];
            String text = arguments
                    .getOrDefault("content", JsonNodeFactory.instance.textNode(""))
                    .asText();
            double t = time(log);
            reading = false;
            if (call.actor() == Actor.USER
                    && List.of("accept_proposal", "reject_proposal").contains(function)) {
                EpisodeStep.Answer answer =
                        function.startsWith("accept") ? EpisodeStep.Answer.ACCEPT : EpisodeStep.Answer.REJECT;
                steps.add(new EpisodeStep.Reply(steps.size(), t, turn(), open, answer, text));
                open = null;
            } else if (call.actor() != Actor.USER && function.equals("send_message_to_user")) {
                message(call, t, text);
            } else if (call.actor() == Actor.OBSERVE && function.equals("wait")) {
                steps.add(new EpisodeStep.Decision(steps.size(), t, turn(), EpisodeStep.Act.SILENT));
            } else {
                boolean failed = call.result() != null && type(call.result()).equals("error");
                String result = call.result() == null ? null : call.result().text(failed ? "exception" : "content");
                steps.add(new EpisodeStep.Action(
                        steps.size(),
                        t,
                        turn(),
                        call.actor(),
                        names[0],
                        function,
                        arguments,
                        effect(call.event()),
                        failed ? null : result,
                        failed ? result : null,
                        null));
                reading = call.actor() == Actor.OBSERVE;
            }
            last = call;
            lastStep = steps.size() - 1;
        }

        private void message(Call call, double t, String text) {
            open = null;
            if (call.actor() == Actor.EXECUTE) {
                steps.add(new EpisodeStep.Message(steps.size(), t, turn(), Actor.EXECUTE, text));
                return;
            }
            steps.add(new EpisodeStep.Decision(steps.size(), t, turn(), EpisodeStep.Act.ACT));
            open = steps.size();
            steps.add(new EpisodeStep.Proposal(steps.size(), t, turn(), List.of(text)));
        }

        /** Adds the decision of a turn that ends with a read. */
        private void endOfReading(@Nullable Entry next) {
            if (reading) {
                Double t = next == null ? null : (Double) time(next);
                steps.add(new EpisodeStep.Decision(steps.size(), t, turn(), EpisodeStep.Act.READ));
                reading = false;
            }
        }

        private void end() {
            endOfReading(null);
            JsonNode annotation = trace.path("metadata").path("annotation");
            Boolean verdict =
                    switch (annotation.path("validation_decision").asText()) {
                        case "Valid" -> true;
                        case "Invalid" -> false;
                        default -> null;
                    };
            if (verdict != null) {
                steps.add(new EpisodeStep.Check(
                        steps.size(), null, turn(), "pare", verdict, text(annotation.path("comment"))));
            }
            boolean failed = trace.path("metadata")
                    .path("definition")
                    .path("has_exception")
                    .asBoolean();
            steps.add(new EpisodeStep.End(
                    steps.size(),
                    null,
                    turn(),
                    verdict,
                    failed ? EpisodeStep.Why.ERROR : EpisodeStep.Why.TURNS,
                    turns));
        }

        private Episode.Header header() {
            JsonNode definition = trace.path("metadata").path("definition");
            Map<String, @Nullable String> actors = new LinkedHashMap<>();
            for (Actor actor : Actor.values()) {
                String role = EnumName.of(actor);
                String key = role + ":";
                actors.put(
                        role,
                        Arrays.stream(trace.path("metadata")
                                        .path("simulation")
                                        .path("model_id")
                                        .asText()
                                        .split("\\|", -1))
                                .filter(model -> model.startsWith(key))
                                .map(model -> model.substring(key.length()))
                                .findFirst()
                                .orElse(null));
            }
            List<String> apps = new ArrayList<>();
            trace.path("apps").forEach(app -> apps.add(app.path("name").asText()));
            Map<String, JsonNode> facts = new LinkedHashMap<>();
            facts.put(OFFERED, JsonRecords.tree(offered));
            facts.put(ERRORS, JsonRecords.tree(errors));
            return new Episode.Header(
                    Episode.FORMAT,
                    name,
                    definition.path("scenario_id").asText(),
                    definition.path("run_number").isInt()
                            ? (Integer) definition.path("run_number").intValue()
                            : null,
                    definition.path("seed").isNumber()
                            ? (Long) definition.path("seed").longValue()
                            : null,
                    "pare",
                    Instant.ofEpochMilli(Math.round(start * 1e3)).toString(),
                    Episode.Clock.WALL,
                    actors,
                    apps,
                    null,
                    facts);
        }
    }
}
