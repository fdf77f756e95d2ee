package dev.prpf.data.world.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scenario of PARE (arXiv 2604.00842) as data: the state at the start, events, and the recorded run that solves it. The run
 * names the calls and arguments that PARE's check needs.
 *
 * @param start seconds since 1970
 * @param events events of the environment, conditions and expected calls
 * @param oracle the recorded run
 * @param end the state after the recorded run
 */
public record PareScenario(
        String scenario,
        double start,
        @Nullable String goal,
        Map<String, App> apps,
        List<Event> events,
        List<Recorded> oracle,
        @JsonProperty("final") Map<String, JsonNode> end) {
    /** The app of PARE through which the assistant and the user talk. */
    private static final String DIALOGUE = "PAREAgentUserInterface";

    private static final Pattern ENUM = Pattern.compile("<\\w+\\.\\w+: '(.*)'>");
    private static final Pattern TIME = Pattern.compile("datetime\\.datetime\\((.*), tzinfo=.*\\)");
    private static final DateTimeFormatter TIME_FORM = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
    private static final int TURNS = 10;

    public PareScenario {
        Scenario.requireName(scenario);
    }

    /** An app and its state at the start. */
    public record App(@JsonProperty("class") String type, @Nullable JsonNode state) {}

    /**
     * An event of the environment, a condition, or an expected call. A condition has no call: PARE checks it in code.
     *
     * @param delay seconds after the last of {@code after}, or after the start
     */
    public record Event(
            String id,
            String kind,
            List<String> after,
            @Nullable Double delay,
            @Nullable String app,
            @Nullable String function,
            @Nullable String effect,
            @Nullable Map<String, JsonNode> args) {}

    /**
     * A call of the recorded run.
     *
     * @param t seconds since the start
     * @param type {@code ENV}, {@code AGENT} or {@code USER}
     * @param required arguments that PARE's check needs; null if it does not need the call
     */
    public record Recorded(
            double t,
            String type,
            String event,
            String app,
            String function,
            String effect,
            Map<String, JsonNode> args,
            @Nullable JsonNode returned,
            @Nullable List<String> required) {}

    /**
     * Reads the scenario of a file.
     *
     * @throws InvalidDataException if the file is no such scenario
     */
    public static PareScenario read(Path file) {
        String text = IoFailure.whileReading("cannot read " + file, () -> Files.readString(file));
        return JsonRecords.read(
                file.toString(),
                "scenario of PARE",
                text,
                PareScenario.class,
                "events.app",
                "events.function",
                "events.effect",
                "events.args",
                "oracle.required");
    }

    /**
     * Converts this to a scenario of our format. Events have the ids {@code e1}, {@code e2}; expected calls {@code x1}, {@code x2} in the order of the
     * recorded run. A condition becomes a mark at the time of its first check.
     */
    public Scenario toScenario() {
        return new Conversion(this).scenario();
    }

    /** Returns the recorded run as an episode. */
    public Episode toEpisode() {
        return new Conversion(this).episode();
    }

    /** Converts a scenario; entries are in the order of the recorded run. */
    private static final class Conversion {
        private final PareScenario pare;
        private final List<Event> environment = new ArrayList<>();
        private final List<Event> expected = new ArrayList<>();
        private final Map<String, String> ids = new HashMap<>();
        private final Map<String, String> calls = new HashMap<>();

        Conversion(PareScenario pare) {
            this.pare = pare;
            Map<String, Integer> order = new HashMap<>();
            Set<String> ofEnvironment = new HashSet<>();
            for (Recorded one : pare.oracle) {
                order.put(one.event(), order.size());
                if (one.type().equals("ENV")) {
                    ofEnvironment.add(one.event());
                }
            }
            for (Event event : pare.events) {
                boolean recorded = order.containsKey(event.id());
                boolean call = recorded
                        ? !ofEnvironment.contains(event.id())
                        : event.kind().equals("expected");
                (call ? expected : environment).add(event);
            }
            expected.sort(Comparator.comparing(event -> order.getOrDefault(event.id(), Integer.MAX_VALUE)));
            environment.forEach(event -> ids.put(event.id(), "e" + (ids.size() + 1)));
            expected.forEach(event -> ids.put(event.id(), "x" + (ids.size() + 1 - environment.size())));
            name();
        }

        /** Maps each event to its call. A message with a reply before the next message proposes help; another one reports. */
        private void name() {
            environment.forEach(event -> calls.put(event.id(), event.app() + "." + event.function()));
            String message = Scenario.TELL;
            for (int i = expected.size() - 1; i >= 0; i--) {
                Event event = expected.get(i);
                String call = event.app() + "." + event.function();
                if (DIALOGUE.equals(event.app())) {
                    switch (Objects.requireNonNull(event.function())) {
                        case "accept_proposal" -> call = Scenario.ACCEPT;
                        case "reject_proposal" -> call = Scenario.REJECT;
                        case "send_message_to_user" -> call = message;
                        default ->
                            throw new InvalidDataException(
                                    event.id() + ": calls " + call + ", which is no message and no reply");
                    }
                    message = call.equals(message) ? Scenario.TELL : Scenario.PROPOSE;
                }
                calls.put(event.id(), call);
            }
        }

        Scenario scenario() {
            Map<String, Scenario.App> apps = new LinkedHashMap<>();
            pare.apps.forEach((name, app) -> {
                if (!name.equals(DIALOGUE)) {
                    apps.put(name, new Scenario.App(definition(app.type()), state(app.state())));
                }
            });
            Map<String, List<String>> needed = new LinkedHashMap<>();
            for (Recorded one : pare.oracle) {
                if (one.required() != null) {
                    List<String> names = one.app().equals(DIALOGUE)
                            ? one.required().stream().map(name -> Scenario.TEXT).toList()
                            : one.required();
                    needed.put(Objects.requireNonNull(ids.get(one.event())), names);
                }
            }
            return new Scenario(
                    pare.scenario,
                    "pare",
                    start().atOffset(ZoneOffset.UTC).toString(),
                    apps,
                    environment.stream().map(this::entry).toList(),
                    List.of(),
                    Map.of(),
                    new Scenario.User(pare.goal, List.of(), Map.of(), List.of(), List.of()),
                    expected.stream().map(this::entry).toList(),
                    new Scenario.Checks(needed, List.of(), null),
                    new Scenario.Limits(TURNS, null));
        }

        private Instant start() {
            return Instant.ofEpochMilli(Math.round(pare.start * 1e3));
        }

        /** Returns the name of an app's definition: {@code StatefulEmailApp} is {@code email}. */
        private static String definition(String type) {
            return type.equals("SandboxLocalFileSystem")
                    ? "files"
                    : type.replaceFirst("^(Stateful|HomeScreen)", "")
                            .replaceFirst("App$", "")
                            .toLowerCase(Locale.ROOT);
        }

        private Map<String, JsonNode> state(@Nullable JsonNode state) {
            Map<String, JsonNode> values = new LinkedHashMap<>();
            if (state != null) {
                state.properties().forEach(value -> values.put(value.getKey(), plain(value.getValue())));
            }
            return values;
        }

        /** Replaces Python's enumeration constants with their values, and its times with {@code 2026-03-02 08:00:00}. */
        private JsonNode plain(JsonNode value) {
            if (value instanceof ObjectNode object) {
                object.properties().forEach(field -> field.setValue(plain(field.getValue())));
            } else if (value instanceof ArrayNode array) {
                for (int i = 0; i < array.size(); i++) {
                    array.set(i, plain(array.get(i)));
                }
            } else if (value.isTextual()) {
                Matcher constant = ENUM.matcher(value.textValue());
                Matcher time = TIME.matcher(value.textValue());
                return constant.matches()
                        ? TextNode.valueOf(constant.group(1))
                        : time.matches() ? TextNode.valueOf(time(time.group(1))) : value;
            }
            return value;
        }

        /** @param numbers year, month, day, hour, minute, perhaps second and microsecond */
        private String time(String numbers) {
            try {
                int[] at = Arrays.stream(numbers.split(", ", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray();
                int second = at.length > 5 ? at[5] : 0;
                return TIME_FORM.format(LocalDateTime.of(at[0], at[1], at[2], at[3], at[4], second));
            } catch (DateTimeException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw new InvalidDataException(pare.scenario + ": datetime(" + numbers
                        + ") is no time with year, month, day, hour and minute");
            }
        }

        private Entry entry(Event event) {
            boolean reply = List.of(Scenario.ACCEPT, Scenario.REJECT).contains(calls.get(event.id()));
            return new Entry(
                    Objects.requireNonNull(ids.get(event.id())),
                    null,
                    event.after().stream()
                            .map(one -> Objects.requireNonNull(ids.get(one)))
                            .toList(),
                    event.delay(),
                    null,
                    reply ? Actor.USER : null,
                    event.app() == null ? null : calls.get(event.id()),
                    event.args() == null ? Map.of() : arguments(event.app(), event.args()));
        }

        private static Map<String, JsonNode> arguments(@Nullable String app, Map<String, JsonNode> arguments) {
            return DIALOGUE.equals(app)
                    ? Map.of(Scenario.TEXT, arguments.getOrDefault("content", NullNode.getInstance()))
                    : arguments;
        }

        Episode episode() {
            List<EpisodeStep> steps = new ArrayList<>();
            Integer open = null;
            boolean accepted = false;
            for (Recorded one : pare.oracle) {
                String call = Objects.requireNonNull(calls.get(one.event()));
                EpisodeStep step = step(steps.size(), one, call, open, accepted);
                steps.add(step);
                accepted = step instanceof EpisodeStep.Reply reply
                        ? reply.answer() == EpisodeStep.Answer.ACCEPT
                        : accepted && !(step instanceof EpisodeStep.Proposal);
                open = step instanceof EpisodeStep.Proposal
                        ? (Integer) step.step()
                        : step instanceof EpisodeStep.Reply ? null : open;
            }
            steps.add(new EpisodeStep.End(steps.size(), null, null, true, EpisodeStep.Why.DONE, null));
            return new Episode(header(), steps);
        }

        private static EpisodeStep step(int step, Recorded one, String call, @Nullable Integer open, boolean accepted) {
            String text =
                    one.args().getOrDefault("content", NullNode.getInstance()).asText();
            return switch (call) {
                case Scenario.PROPOSE -> new EpisodeStep.Proposal(step, one.t(), null, List.of(text));
                case Scenario.TELL -> new EpisodeStep.Message(step, one.t(), null, EpisodeStep.Actor.EXECUTE, text);
                case Scenario.ACCEPT ->
                    new EpisodeStep.Reply(step, one.t(), null, open, EpisodeStep.Answer.ACCEPT, text);
                case Scenario.REJECT ->
                    new EpisodeStep.Reply(step, one.t(), null, open, EpisodeStep.Answer.REJECT, text);
                default -> one.type().equals("ENV") ? event(step, one) : action(step, one, accepted);
            };
        }

        private static EpisodeStep event(int step, Recorded one) {
            EpisodeStep.Seen unknown = new EpisodeStep.Seen(null, null);
            return new EpisodeStep.Event(step, one.t(), null, one.app(), one.function(), one.args(), unknown, false);
        }

        private static EpisodeStep action(int step, Recorded one, boolean accepted) {
            return new EpisodeStep.Action(
                    step,
                    one.t(),
                    null,
                    accepted ? EpisodeStep.Actor.EXECUTE : EpisodeStep.Actor.OBSERVE,
                    one.app(),
                    one.function(),
                    one.args(),
                    EpisodeStep.Effect.valueOf(one.effect().toUpperCase(Locale.ROOT)),
                    one.returned() == null ? null : one.returned().toString(),
                    null,
                    null);
        }

        private Episode.Header header() {
            return new Episode.Header(
                    Episode.FORMAT,
                    pare.scenario,
                    pare.scenario,
                    null,
                    null,
                    "pare-expected",
                    start().toString(),
                    Episode.Clock.VIRTUAL,
                    Map.of(),
                    List.copyOf(pare.apps.keySet()),
                    pare.goal,
                    Map.of());
        }
    }
}
