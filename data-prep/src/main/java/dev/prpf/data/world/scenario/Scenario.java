package dev.prpf.data.world.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A scenario, as one YAML file describes it. Ids of events, moves and expected calls share one namespace.
 *
 * @param scenario the scenario's id
 * @param source the benchmark that the scenario was imported from, or null
 * @param start ISO 8601 time with offset at which the virtual clock starts
 * @param apps apps by the name that calls use
 * @param events what the environment does
 * @param noise distractors at random times
 * @param failing apps to the probability that a call of the assistant fails
 * @param expected the calls that solve the scenario, in order
 */
@Defaults.Sparse
public record Scenario(
        String scenario,
        @Nullable String source,
        String start,
        Map<String, App> apps,
        List<Entry> events,
        List<Noise> noise,
        Map<String, Double> failing,
        User user,
        List<Entry> expected,
        Checks checks,
        Limits limits) {
    /** The call with which the assistant offers help; its argument is {@value #TEXT}. */
    public static final String PROPOSE = "propose";

    /** The call with which the assistant reports to the user. */
    public static final String TELL = "tell";

    /** The call with which the user accepts the open proposal. */
    public static final String ACCEPT = "accept";

    /** The call with which the user refuses the open proposal. */
    public static final String REJECT = "reject";

    /** The argument of the calls that belong to no app. */
    public static final String TEXT = "text";

    /** The calls that belong to no app. */
    static final List<String> DIALOGUE = List.of(PROPOSE, TELL, ACCEPT, REJECT);

    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}._-]*");
    static final double AN_HOUR = 3600;
    static final double A_DAY = 24 * AN_HOUR;
    static final double A_YEAR = 366 * A_DAY;
    private static final int TURNS = 10_000;

    public Scenario {
        requireName(scenario);
        boolean valid = parsed(() -> OffsetDateTime.parse(start)).isPresent();
        Rule.require(valid, "start", start, "a time with offset, such as \"2026-03-02T08:00:00+08:00\"");
        failing.forEach((app, share) ->
                Rule.require(share >= 0 && share <= 1, "failing." + app, share, "a probability from 0 to 1"));
    }

    /**
     * Checks that a scenario's name is a valid file name without a path.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static void requireName(@Nullable String scenario) {
        Rule.require(
                scenario != null && NAME.matcher(scenario).matches(),
                "scenario",
                scenario,
                "a name of letters, digits, - _ and . that begins with a letter or digit");
    }

    /** The participants that make expected calls. */
    public enum Actor {
        AGENT,
        USER
    }

    /**
     * An app of a scenario.
     *
     * @param app the name of its definition
     * @param start its state at the start, as its definition reads it
     */
    @Defaults.Sparse
    public record App(String app, Map<String, JsonNode> start) {}

    /**
     * An event, a move of the user, or an expected call. It happens at a time, or a delay after the start, after the last of other
     * entries, or after a call.
     *
     * @param at {@code HH:mm} on the first day, or an ISO 8601 date and time; null with {@code after}, {@code when} or {@code delay}
     * @param after ids of entries
     * @param delay seconds, or null for 0
     * @param by the actor of an expected call; null for the assistant
     * @param call {@code App.function}, or a call that belongs to no app; null for a mark, at which nothing happens
     * @param with arguments
     */
    @Defaults.Sparse
    public record Entry(
            String id,
            @Nullable String at,
            List<String> after,
            @Nullable Double delay,
            @Nullable When when,
            @Nullable Actor by,
            @Nullable String call,
            Map<String, JsonNode> with) {
        public Entry {
            Rule.require(delay == null || (delay >= 0 && delay <= A_YEAR), "delay", delay, "0 to 31622400 seconds");
            long bases = Stream.of(at != null, !after.isEmpty(), when != null)
                    .filter(given -> given)
                    .count();
            Rule.require(bases <= 1, "at, after, when", bases + " of them", "at most one of them: " + id);
        }

        /** Returns the delay in seconds. */
        public double seconds() {
            return delay == null ? 0 : delay;
        }

        /** Returns the actor of an expected call. */
        public Actor actor() {
            return by == null ? Actor.AGENT : by;
        }
    }

    /**
     * A call that an event waits for.
     *
     * @param by the actor, or null for any
     * @param where conditions on arguments; see {@link #holds}
     */
    @Defaults.Sparse
    public record When(@Nullable Actor by, String call, Map<String, JsonNode> where) {
        /** Returns whether a call fulfils the condition. */
        public boolean matches(Entry entry) {
            return call.equals(entry.call())
                    && (by == null || by == entry.actor())
                    && Scenario.matches(where, entry.with());
        }
    }

    /**
     * Events at random times.
     *
     * @param perHour mean number an hour, at most one a second
     * @param with the arguments of each event are one of these
     */
    public record Noise(String call, double perHour, List<Map<String, JsonNode>> with) {
        public Noise {
            Rule.require(perHour > 0 && perHour <= AN_HOUR, "per-hour", perHour, "above 0 and at most 3600");
            Rule.require(!with.isEmpty(), "with", with, "at least one set of arguments");
        }
    }

    /**
     * The user of a scenario.
     *
     * @param goal the goal in words for a language model, or null
     * @param habits traits by name, such as trust or patience
     * @param seen ids of rows that the user knows at the start
     * @param moves the user's calls
     */
    @Defaults.Sparse
    public record User(
            @Nullable String goal,
            List<Goal> goals,
            Map<String, Double> habits,
            List<String> seen,
            List<Entry> moves) {}

    /**
     * Help that the user wants within a window of time.
     *
     * @param wants the call that helps
     * @param where conditions on its arguments
     * @param from id of an entry, or a time; null for the start
     * @param until a time; null for the end
     */
    @Defaults.Sparse
    public record Goal(
            String id, String wants, Map<String, JsonNode> where, @Nullable String from, @Nullable String until) {}

    /**
     * Rules for a run.
     *
     * @param needed ids of expected calls that a run must contain, to the arguments that must be equal
     * @param forbidden functions that the assistant must not call
     * @param silentBefore id of an entry before which the assistant must not propose, or null
     */
    @Defaults.Sparse
    public record Checks(Map<String, List<String>> needed, List<String> forbidden, @Nullable String silentBefore) {}

    /**
     * The end of a run.
     *
     * @param turns number of turns, or null
     * @param until a time, or null
     */
    @Defaults.Sparse
    public record Limits(@Nullable Integer turns, @Nullable String until) {
        public Limits {
            Rule.require(turns == null || (turns >= 1 && turns <= TURNS), "turns", turns, "1 to " + TURNS);
        }
    }

    /**
     * Reads the scenario of a file.
     *
     * @throws dev.prpf.base.error.PrpfException 78 with every defect, one a line
     */
    public static Scenario read(Path file) {
        return StrictYaml.read(file, Scenario.class, List.of());
    }

    /** Returns the scenario as YAML. */
    public String write() {
        return StrictYaml.write(this);
    }

    /** Returns this scenario without events at random times. */
    Scenario withoutNoise() {
        return new Scenario(scenario, source, start, apps, events, List.of(), failing, user, expected, checks, limits);
    }

    /** Returns all entries: events, moves, expected calls. */
    public List<Entry> entries() {
        return Stream.of(events, user.moves(), expected).flatMap(List::stream).toList();
    }

    /**
     * Returns a time as seconds since the start.
     *
     * @throws IllegalArgumentException if the text is no time
     */
    public double seconds(String time) {
        OffsetDateTime begin = OffsetDateTime.parse(start);
        OffsetDateTime parsed = Stream.<Supplier<OffsetDateTime>>of(
                        () -> begin.with(LocalTime.parse(time)),
                        () -> begin.with(LocalDateTime.parse(time)),
                        () -> OffsetDateTime.parse(time))
                .map(Scenario::parsed)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "\"" + time + "\" is no time; write \"08:30\" or \"2026-03-02T08:30\""));
        return Duration.between(begin, parsed).toMillis() / 1e3;
    }

    private static <T> Optional<T> parsed(Supplier<T> parser) {
        try {
            return Optional.of(parser.get());
        } catch (DateTimeException another) {
            return Optional.empty();
        }
    }

    /** Returns whether all conditions on arguments hold. */
    public static boolean matches(Map<String, JsonNode> where, Map<String, JsonNode> arguments) {
        return where.entrySet().stream().allMatch(one -> holds(one.getValue(), arguments.get(one.getKey())));
    }

    /**
     * Returns whether a value fulfils a condition: it is equal, or the condition is one of {@code contains}, {@code one-of}, {@code
     * before} and {@code after} with a bound.
     *
     * @param value null for an argument that is missing, which equals JSON's null
     */
    public static boolean holds(JsonNode condition, @Nullable JsonNode value) {
        JsonNode actual = value == null ? NullNode.getInstance() : value;
        String key = condition.isObject() && condition.size() == 1
                ? condition.fieldNames().next()
                : "";
        JsonNode bound = condition.path(key);
        return switch (key) {
            case "contains" ->
                actual.isTextual() ? actual.textValue().contains(bound.asText()) : anyEquals(actual, bound);
            case "one-of" -> anyEquals(bound, actual);
            case "before" -> !actual.isNull() && compare(actual, bound) < 0;
            case "after" -> !actual.isNull() && compare(actual, bound) > 0;
            default -> condition.equals(Scenario::compare, actual);
        };
    }

    private static boolean anyEquals(JsonNode list, JsonNode value) {
        return StreamSupport.stream(list.spliterator(), false).anyMatch(one -> one.equals(Scenario::compare, value));
    }

    /** Compares numbers by value and other values as texts. */
    private static int compare(JsonNode one, JsonNode other) {
        return one.isNumber() && other.isNumber()
                ? Double.compare(one.doubleValue(), other.doubleValue())
                : one.equals(other) ? 0 : one.toString().compareTo(other.toString());
    }
}
