package dev.prpf.data.world.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.AppDefinition.AppFunction;
import dev.prpf.data.world.AppDefinition.Move;
import dev.prpf.data.world.VirtualClock;
import dev.prpf.data.world.World;
import dev.prpf.data.world.World.Result;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Goal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scenario that runs: its world, and the queue of its events. The assistant {@link #call}s functions, the user {@link #move}s on the
 * screen. A call of the assistant that writes without permission is refused and counted. Not thread-safe.
 */
public final class ScenarioWorld {
    /** Name of the app with the definition {@code phone}; {@link #sample} renders its state. */
    public static final String PHONE = "Phone";

    private static final Pattern VALUE = Pattern.compile("\\{(\\w+)(?::(\\d+))?}");
    private static final double MILLIS = 1e3;

    private final Scenario scenario;
    private final Map<String, AppDefinition> definitions;
    private final World world;
    private final EventQueue queue;
    private final Instant start;
    private final Map<String, Double> metGoals = new LinkedHashMap<>();
    private int refusedWrites;

    /**
     * An event that happened.
     *
     * @param due the event
     * @param user the short text for the user; null if the user is not notified
     * @param agent the whole text for the assistant; null if it is not notified
     * @param error why the event had no effect, or null
     */
    public record Notice(EventQueue.Due due, @Nullable String user, @Nullable String agent, @Nullable String error) {}

    /** The state of a scenario; {@link #restore} returns to it. */
    public record Snapshot(
            World.Snapshot world, EventQueue.Snapshot queue, Map<String, Double> metGoals, int refusedWrites) {}

    /**
     * Opens a scenario with given definitions.
     *
     * @param definitions apps by their names in the scenario, without {@link World#SYSTEM}
     * @param seed of identifiers, noise and failing calls
     */
    public ScenarioWorld(Scenario scenario, Map<String, AppDefinition> definitions, long seed) {
        this.scenario = scenario;
        this.definitions = definitions;
        OffsetDateTime from = OffsetDateTime.parse(scenario.start());
        this.start = from.toInstant();
        this.world = new World(new VirtualClock(start, from.getOffset()), seed);
        this.queue = new EventQueue(scenario, seed);
        definitions.forEach((name, definition) -> {
            Scenario.App app = Objects.requireNonNull(scenario.apps().get(name), name);
            world.install(
                    name,
                    definition,
                    app.start().isEmpty()
                            ? null
                            : JsonNodeFactory.instance.objectNode().setAll(app.start()));
        });
    }

    public Scenario scenario() {
        return scenario;
    }

    public World world() {
        return world;
    }

    public EventQueue queue() {
        return queue;
    }

    /** Returns what the phone shows now, as a sample without answers; null without the app {@value #PHONE}. */
    public @Nullable Sample sample() {
        if (!definitions.containsKey(PHONE)) {
            return null;
        }
        JsonNode state = world.state(PHONE);
        return sample(scenario.scenario() + "@" + now(), state.path("profile").asText(), state, null);
    }

    /** Returns the sample of a shown object with {@code phone}, {@code world} and {@code steps}. */
    public static Sample sample(String id, String profile, JsonNode shown, @Nullable List<Recommendation> answers) {
        List<String> steps = new ArrayList<>();
        shown.path("steps").forEach(step -> steps.add(step.asText()));
        DeviceContext context = new DeviceContext(
                profile, shown.path("phone").asText(), shown.path("world").asText());
        return new Sample(id, 1, null, null, context, Trajectory.ofTexts(steps), answers);
    }

    /** Returns the seconds since the start, in whole milliseconds. */
    public double now() {
        return Duration.between(start, world.clock().instant()).toMillis() / MILLIS;
    }

    /** Returns the goals that a call has met, by id, with the seconds since the start. */
    public Map<String, Double> metGoals() {
        return Collections.unmodifiableMap(metGoals);
    }

    /** Returns the user's goals with an open window that no call has met. */
    public List<Goal> openGoals() {
        return scenario.user().goals().stream()
                .filter(goal -> !metGoals.containsKey(goal.id()) && isOpen(goal))
                .toList();
    }

    private boolean isOpen(Goal goal) {
        Double from = from(goal);
        return from != null && from <= now() && (goal.until() == null || now() <= scenario.seconds(goal.until()));
    }

    /** Returns the seconds since the start at which a goal's window begins; null while it waits for an entry. */
    private @Nullable Double from(Goal goal) {
        if (goal.from() == null) {
            return 0.0;
        }
        boolean entry = scenario.entries().stream().anyMatch(one -> one.id().equals(goal.from()));
        return entry ? queue.happened(goal.from()) : (Double) scenario.seconds(goal.from());
    }

    /** Returns the windows of the goals that have opened, by id: begin and end in seconds, the end null without one. */
    public Map<String, List<@Nullable Double>> goalWindows() {
        Map<String, List<@Nullable Double>> windows = new LinkedHashMap<>();
        for (Goal goal : scenario.user().goals()) {
            Double from = from(goal);
            if (from != null && from <= now()) {
                windows.put(
                        goal.id(), Arrays.asList(from, goal.until() == null ? null : scenario.seconds(goal.until())));
            }
        }
        return windows;
    }

    private void meetGoals(String call, Map<String, JsonNode> with) {
        openGoals().stream()
                .filter(goal -> goal.wants().equals(call) && Scenario.matches(goal.where(), with))
                .forEach(goal -> metGoals.put(goal.id(), now()));
    }

    /** Returns the number of the assistant's writing calls that were refused because it had no permission. */
    public int refusedWrites() {
        return refusedWrites;
    }

    /**
     * Moves the clock, and executes the events that are due on the way.
     *
     * @param until seconds since the start
     */
    public List<Notice> advance(double until) {
        List<Notice> notices = new ArrayList<>();
        for (EventQueue.Due due = queue.next(until); due != null; due = queue.next(until)) {
            moveTo(Math.max(due.t(), now()));
            String app = app(due.call());
            Result result = world.call(app, function(due.call()), due.with());
            AppDefinition definition = definitions.get(app);
            AppFunction called = definition == null || !result.succeeded()
                    ? null
                    : definition.functions().get(function(due.call()));
            notices.add(new Notice(
                    due,
                    called == null ? null : fill(called.user(), due.with()),
                    called == null ? null : fill(called.agent(), due.with()),
                    result.error()));
        }
        moveTo(until);
        return notices;
    }

    private void moveTo(double seconds) {
        world.clock().moveTo(start.plusMillis(Math.round(seconds * MILLIS)));
    }

    /** Returns the app of {@code App.function}; empty without a point. */
    public static String app(String call) {
        return call.substring(0, Math.max(0, call.indexOf('.')));
    }

    /** Returns the function of {@code App.function}. */
    public static String function(String call) {
        return call.substring(call.indexOf('.') + 1);
    }

    /** Replaces {@code {name}} with an argument, and {@code {name:20}} with its first 20 characters. */
    private static @Nullable String fill(@Nullable String text, Map<String, JsonNode> with) {
        return text == null
                ? null
                : VALUE.matcher(text).replaceAll(found -> {
                    JsonNode value = with.get(found.group(1));
                    String whole = value == null || value.isNull() ? "" : JsonRecords.text(value);
                    boolean cut = found.group(2) != null && whole.length() > Integer.parseInt(found.group(2));
                    return Matcher.quoteReplacement(
                            cut ? whole.substring(0, Integer.parseInt(found.group(2))) + "..." : whole);
                });
    }

    /** Returns the effect of {@code App.function}; null if there is no such function. */
    public @Nullable Effect effect(String call) {
        return world.effect(app(call), function(call));
    }

    /** Returns the assistant's functions of all apps, as {@code App.function}; excludes the functions with a notification. */
    public List<String> functions() {
        List<String> functions = new ArrayList<>();
        definitions.forEach((app, definition) -> definition.functions().forEach((name, function) -> {
            if (function.user() == null && function.agent() == null) {
                functions.add(app + "." + name);
            }
        }));
        return functions;
    }

    /** Returns the parameters of an assistant's function, or of a user's move on the visible screen; empty without any. */
    public Map<String, String> parameters(Actor by, String call) {
        AppDefinition definition = definitions.get(app(call));
        if (definition == null) {
            return call.endsWith("_app") ? Map.of("app_name", "string") : Map.of();
        }
        if (by == Actor.USER) {
            String screen = world.screen();
            Move move = screen == null
                    ? null
                    : definition.screens().getOrDefault(screen, Map.of()).get(function(call));
            return move == null ? Map.of() : move.args();
        }
        AppFunction function = definition.functions().get(function(call));
        return function == null ? Map.of() : function.args();
    }

    /**
     * Calls a function for the assistant.
     *
     * @param call {@code App.function}
     * @param permitted whether the user has accepted a proposal; without it a write is refused, and the changes of a read are undone
     */
    public Result call(String call, Map<String, JsonNode> with, boolean permitted) {
        if (effect(call) == Effect.WRITE && !permitted) {
            refusedWrites++;
            return new Result(null, call + " writes; the user must accept a proposal first");
        }
        if (queue.fails(app(call))) {
            return new Result(null, call + " failed: internal error, call it again later");
        }
        Result result =
                permitted ? world.call(app(call), function(call), with) : world.peek(app(call), function(call), with);
        if (result.succeeded()) {
            queue.called(Actor.AGENT, call, with, now());
            meetGoals(call, with);
        }
        return result;
    }

    /**
     * Makes a move of the user.
     *
     * @param call {@code App.move}, on the visible screen
     */
    public Result move(String call, Map<String, JsonNode> with) {
        Result result = world.move(app(call), function(call), with);
        if (result.succeeded()) {
            queue.called(Actor.USER, call, with, now());
            meetGoals(call, with);
        }
        return result;
    }

    /** Records a proposal or a message of the assistant, or a reply of the user. */
    public void said(Actor by, String call, String text) {
        queue.called(by, call, Map.of(Scenario.TEXT, TextNode.valueOf(text)), now());
    }

    /** Returns the state of the world and of the queue. */
    public Snapshot snapshot() {
        return new Snapshot(world.snapshot(), queue.snapshot(), Map.copyOf(metGoals), refusedWrites);
    }

    /** Returns to the state of a snapshot of this scenario. */
    public void restore(Snapshot snapshot) {
        world.restore(snapshot.world());
        queue.restore(snapshot.queue());
        metGoals.clear();
        metGoals.putAll(snapshot.metGoals());
        refusedWrites = snapshot.refusedWrites();
    }
}
