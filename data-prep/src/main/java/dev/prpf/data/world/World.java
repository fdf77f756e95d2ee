package dev.prpf.data.world;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.world.AppDefinition.AppFunction;
import dev.prpf.data.world.AppDefinition.Move;
import dev.prpf.data.world.AppDefinition.Parameter;
import dev.prpf.data.world.EffectScript.Functions;
import dev.prpf.data.world.EffectScript.Refusal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A phone: the states of several apps, the user's screen, and a clock. Agents and events {@link #call} functions; the user makes a {@link
 * #move} on the screen. Not thread-safe.
 */
public final class World {
    /** The app of the home screen. The user's moves there are built in. */
    public static final String SYSTEM = "System";

    private static final String SEPARATOR = "__";
    private static final String IDENTIFIERS = "identifiers";

    private final VirtualClock clock;
    private final Map<String, App> apps = new LinkedHashMap<>();
    private SplittableRandom random;
    private long drawn;
    private final long seed;
    private String active = SYSTEM;
    private final TreeSet<String> opened = new TreeSet<>();
    private final Map<App, Map<String, @Nullable Object>> before = new LinkedHashMap<>(); // before the running call
    private final AtomicInteger steps = new AtomicInteger(); // of the running call's scripts

    /**
     * Creates a world that shows the home screen.
     *
     * @param seed of the identifiers that functions make
     */
    public World(VirtualClock clock, long seed) {
        this.clock = clock;
        this.seed = seed;
        this.random = random(seed, IDENTIFIERS);
    }

    /** Returns the random numbers of one part of an episode; those of other names and seeds are independent. */
    public static SplittableRandom random(long seed, String name) {
        byte[] key = (seed + " " + name).getBytes(StandardCharsets.UTF_8);
        return new SplittableRandom(UUID.nameUUIDFromBytes(key).getMostSignificantBits());
    }

    /**
     * The outcome of a call or a move.
     *
     * @param value JSON; null for none
     * @param error why the call was refused; null if it succeeded
     */
    public record Result(@Nullable JsonNode value, @Nullable String error) {
        static Result refused(String reason) {
            return new Result(null, reason);
        }

        /** Returns whether the call had its effect. */
        public boolean succeeded() {
            return error == null;
        }
    }

    /** The state of a world at a moment; {@link #restore} returns to it. */
    public record Snapshot(
            Instant time, long drawn, String active, List<String> opened, Map<String, AppSnapshot> apps) {}

    /** The state and the screens of an app, the visible screen first. */
    public record AppSnapshot(JsonNode state, List<ScreenSnapshot> screens) {}

    /** A screen and the values that it keeps. */
    public record ScreenSnapshot(String name, JsonNode kept) {}

    private record Screen(String name, Map<String, @Nullable Object> kept) {}

    private static final class App {
        private final AppDefinition definition;
        private Map<String, @Nullable Object> state;
        private final Deque<Screen> screens = new ArrayDeque<>();

        App(AppDefinition definition, JsonNode state) {
            this.definition = definition;
            this.state = JsonValues.of(state);
            showFirst();
        }

        void showFirst() {
            screens.clear();
            String first = definition.firstScreen();
            if (first != null) {
                screens.push(new Screen(first, Map.of()));
            }
        }
    }

    /**
     * Adds an app to the phone.
     *
     * @param name unique; the name of its calls
     * @param start the app's state; null for the start of its definition
     */
    public void install(String name, AppDefinition definition, @Nullable JsonNode start) {
        if (name.equals(SYSTEM) || apps.containsKey(name)) {
            throw new IllegalArgumentException("the app " + name + " exists already");
        }
        apps.put(name, new App(definition, start == null ? definition.start() : start));
    }

    public VirtualClock clock() {
        return clock;
    }

    /** Returns the name of the visible app; {@link #SYSTEM} on the home screen. */
    public String activeApp() {
        return active;
    }

    /** Returns the visible screen of the active app; null on the home screen. */
    public @Nullable String screen() {
        App app = apps.get(active);
        Screen top = app == null ? null : app.screens.peek();
        return top == null ? null : top.name;
    }

    /**
     * Returns a copy of an app's state.
     *
     * @throws InvalidDataException if an app's tick fails
     */
    public JsonNode state(String app) {
        Result ticked = ticked(true, () -> null);
        if (ticked.error() != null) {
            throw new InvalidDataException(ticked.error());
        }
        return JsonValues.json(installed(app).state);
    }

    private App installed(String name) {
        App app = apps.get(name);
        if (app == null) {
            throw new IllegalArgumentException("the app " + name + " is not installed; apps: " + apps.keySet());
        }
        return app;
    }

    /** Returns the effect of a function; null if there is no such function. */
    public @Nullable Effect effect(String app, String function) {
        AppFunction called = function(apps.get(app), function);
        return called == null ? null : called.effect();
    }

    private static @Nullable AppFunction function(@Nullable App app, String name) {
        return app == null ? null : app.definition.functions().get(name);
    }

    /**
     * Calls a function, as agents and events do. A refused call changes nothing.
     *
     * @param args by name
     */
    public Result call(String app, String function, Map<String, JsonNode> args) {
        return call(app, function, args, true);
    }

    /** Calls a function and undoes what its script changed, such as a mark that an email was read. */
    public Result peek(String app, String function, Map<String, JsonNode> args) {
        return call(app, function, args, false);
    }

    private Result call(String app, String function, Map<String, JsonNode> args, boolean keeps) {
        App known = apps.get(app);
        AppFunction called = function(known, function);
        if (known == null || called == null) {
            return Result.refused("there is no function " + app + SEPARATOR + function);
        }
        return ticked(keeps, () -> run(known, called, JsonValues.plain(args)));
    }

    /** Returns the moves that the user can make on the visible screen, as {@code App__move}, sorted; no way back from an app's first. */
    public List<String> moves() {
        TreeSet<String> moves = new TreeSet<>(List.of("System__go_home", "System__switch_app"));
        String screen = screen();
        if (screen == null) {
            moves.add("System__open_app");
        } else {
            App app = installed(active);
            movesOf(app, screen).forEach((name, move) -> {
                if (app.screens.size() > 1 || !Move.BACK.equals(move.to())) {
                    moves.add(active + SEPARATOR + name);
                }
            });
        }
        return List.copyOf(moves);
    }

    private static Map<String, Move> movesOf(App app, String screen) {
        return Objects.requireNonNull(app.definition.screens().get(screen));
    }

    /**
     * Makes a move of the user. A refused move changes neither state nor screen.
     *
     * @param app the active app, or {@link #SYSTEM}
     */
    public Result move(String app, String move, Map<String, JsonNode> args) {
        if (!moves().contains(app + SEPARATOR + move)) {
            return Result.refused(
                    app + SEPARATOR + move + " is not on this screen; possible: " + String.join(", ", moves()));
        }
        if (app.equals(SYSTEM)) {
            return navigate(move, args);
        }
        App known = installed(app);
        Screen from = Objects.requireNonNull(known.screens.peek());
        Move made = Objects.requireNonNull(movesOf(known, from.name).get(move));
        return ticked(true, () -> {
            Map<String, @Nullable Object> given = Parameter.checked(made.args(), JsonValues.plain(args));
            String script = made.run();
            Object result = script == null ? null : evaluate(known, script, given, from.kept);
            show(known, made, given, from, result);
            return result;
        });
    }

    private void show(App app, Move made, Map<String, @Nullable Object> given, Screen from, @Nullable Object result)
            throws Refusal {
        String to = made.to();
        if (to == null) {
            return;
        }
        if (to.equals(Move.BACK)) {
            app.screens.pop();
            return;
        }
        if (to.equals(Move.FIRST)) {
            app.showFirst();
            return;
        }
        Map<String, @Nullable Object> variables = new LinkedHashMap<>(given);
        variables.put("result", result);
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        for (Map.Entry<String, String> value : made.keep().entrySet()) {
            kept.put(value.getKey(), evaluate(app, value.getValue(), variables, from.kept));
        }
        app.screens.push(new Screen(to, kept));
    }

    private Result navigate(String move, Map<String, JsonNode> args) {
        boolean home = move.equals("go_home");
        boolean open = move.equals("open_app");
        JsonNode given = args.get("app_name");
        String name = home ? SYSTEM : given == null ? "" : given.asText();
        App app = apps.get(name);
        if (!home && (app == null || app.screens.isEmpty())) {
            return Result.refused("app_name must be one of " + apps.keySet());
        }
        if (!home && !open && !opened.contains(name)) {
            return Result.refused("the app " + name + " is not open; open apps: " + opened);
        }
        boolean shown = active.equals(name);
        active = name;
        if (app != null) {
            opened.add(name);
        }
        if (app != null && open) {
            app.showFirst();
        }
        String done = home
                ? shown ? "You are already on the home screen." : "Switched to home screen."
                : open
                        ? "Opened " + name + " App."
                        : shown ? "App " + name + " is already active." : "Switched to " + name + " App successfully.";
        return new Result(JsonValues.json(done), null);
    }

    private interface Effected {
        @Nullable
        Object run() throws Refusal;
    }

    /** Runs each app's tick, then an effect; a refused tick refuses the call. */
    private Result ticked(boolean keeps, Effected effected) {
        for (App app : apps.values()) {
            String tick = app.definition.tick();
            Result done = tick == null ? null : effect(true, () -> evaluate(app, tick, Map.of(), Map.of()));
            if (done != null && !done.succeeded()) {
                return Result.refused("the tick of " + app.definition.app() + " fails: " + done.error());
            }
        }
        return effect(keeps, effected);
    }

    /** Runs an effect; a refusal undoes its changes of all apps. */
    private Result effect(boolean keeps, Effected effected) {
        before.clear();
        steps.set(0);
        Result result;
        try {
            result = new Result(JsonValues.json(effected.run()), null);
        } catch (Refusal refusal) {
            result = Result.refused(String.valueOf(refusal.getMessage()));
        }
        if (!keeps || !result.succeeded()) {
            before.forEach((app, state) -> app.state = state);
        }
        return result;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> copy(Map<String, @Nullable Object> state) {
        return (Map<String, @Nullable Object>) Objects.requireNonNull(JsonValues.copy(state));
    }

    private @Nullable Object run(App app, AppFunction called, Map<String, @Nullable Object> args) throws Refusal {
        return evaluate(app, called.run(), Parameter.checked(called.args(), args), Map.of());
    }

    /** Runs a script over an app's state, arguments by name, and the values that a screen keeps. */
    private @Nullable Object evaluate(
            App app, String script, Map<String, @Nullable Object> args, Map<String, @Nullable Object> screen)
            throws Refusal {
        if (!before.containsKey(app)) {
            before.put(app, copy(app.state));
        }
        Map<String, @Nullable Object> variables = new LinkedHashMap<>(args);
        variables.put("state", app.state);
        variables.put("screen", screen);
        return EffectScript.of(script).run(variables, functions(app));
    }

    private Functions functions(App app) {
        return new Functions(clock, steps, this::id, (name, args) -> {
            int dot = name.indexOf('.');
            App other = dot < 0 ? app : apps.get(name.substring(0, dot));
            AppFunction called = function(other, name.substring(dot + 1));
            if (other == null || called == null) {
                throw new Refusal("there is no function " + name);
            }
            return run(other, called, args);
        });
    }

    private String id() {
        drawn++;
        return String.format("%016x%016x", random.nextLong(), random.nextLong());
    }

    /** Returns the state of the world, which later calls do not change. */
    public Snapshot snapshot() {
        Map<String, AppSnapshot> all = new LinkedHashMap<>();
        apps.forEach((name, app) -> {
            List<ScreenSnapshot> screens = new ArrayList<>();
            app.screens.forEach(screen -> screens.add(new ScreenSnapshot(screen.name, JsonValues.json(screen.kept))));
            all.put(name, new AppSnapshot(JsonValues.json(app.state), screens));
        });
        return new Snapshot(clock.instant(), drawn, active, List.copyOf(opened), all);
    }

    /** Returns to the state of a snapshot of this world, with its time and its next identifiers. */
    public void restore(Snapshot snapshot) {
        clock.restore(snapshot.time);
        random = random(seed, IDENTIFIERS);
        for (drawn = 0; drawn < snapshot.drawn; ) {
            id();
        }
        active = snapshot.active;
        opened.clear();
        opened.addAll(snapshot.opened);
        snapshot.apps.forEach((name, saved) -> {
            App app = installed(name);
            app.state = JsonValues.of(saved.state);
            app.screens.clear();
            saved.screens.forEach(screen -> app.screens.add(new Screen(screen.name, JsonValues.of(screen.kept))));
        });
    }
}
