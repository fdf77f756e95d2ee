package dev.prpf.data.world.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.World;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.Scenario.Goal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the defects of a scenario before it is played. Names, arguments and tables must be known. Each event must be able to happen, and
 * each goal to be met. Nothing may fail in the expected run.
 */
public final class ScenarioCheck {
    private static final int NOISE = 100_000; // events, which an episode keeps in memory

    private final Scenario scenario;
    private final Map<String, AppDefinition> apps;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<String, @Nullable Double> times = new HashMap<>();
    private final Set<String> open = new LinkedHashSet<>();
    private final Set<String> problems = new LinkedHashSet<>();

    private ScenarioCheck(Checked checked) {
        this.scenario = checked.scenario;
        this.apps = checked.apps;
    }

    /**
     * A scenario and the definitions of its apps, without {@link World#SYSTEM}.
     *
     * @param apps definitions by the names of calls
     */
    public record Checked(Scenario scenario, Map<String, AppDefinition> apps) {
        /**
         * Finds the definitions that a scenario names.
         *
         * @param folder of the definitions that are not shipped
         */
        public static Checked of(Scenario scenario, Path folder) {
            Map<String, AppDefinition> apps = new LinkedHashMap<>();
            scenario.apps().forEach((name, app) -> {
                if (app.app().endsWith(".yaml")) {
                    apps.put(name, AppDefinition.read(folder.resolve(app.app())));
                } else if (AppDefinition.SHIPPED.contains(app.app())) {
                    apps.put(name, AppDefinition.shipped(app.app()));
                }
            });
            return new Checked(scenario, apps);
        }

        /** Returns the scenario at its start. */
        public ScenarioWorld open(long seed) {
            return new ScenarioWorld(scenario, apps, seed);
        }
    }

    /**
     * Reads scenarios and their apps once.
     *
     * @throws InvalidDataException with every defect of every file
     */
    public static List<Checked> read(List<Path> files) {
        List<Checked> all = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Path file : files) {
            all.add(Checked.of(Scenario.read(file), file.toAbsolutePath().resolveSibling(".")));
            problems(all.get(all.size() - 1)).forEach(problem -> problems.add(file + ": " + problem));
        }
        if (!problems.isEmpty()) {
            throw new InvalidDataException(String.join("\n       ", problems));
        }
        return all;
    }

    /** Returns a message for each defect; empty without defects. */
    public static List<String> problems(Checked checked) {
        ScenarioCheck check = new ScenarioCheck(checked);
        Scenario scenario = checked.scenario;
        for (Entry entry : scenario.entries()) {
            if (check.entries.put(entry.id(), entry) != null) {
                check.problems.add(
                        entry.id() + ": the id is a duplicate; ids of events, moves and expected calls differ");
            }
        }
        scenario.apps().forEach(check::app);
        Double end = check.parsed("limits.until", scenario.limits().until());
        if (end != null && end > Scenario.A_YEAR) {
            check.problems.add("limits.until: is more than a year after the start");
        }
        for (Entry entry : scenario.entries()) {
            check.entry(entry, end == null ? Double.POSITIVE_INFINITY : end);
        }
        check.noise(end == null ? Scenario.A_DAY : end);
        scenario.noise().forEach(noise -> noise.with().forEach(with -> check.call("noise", noise.call(), with, false)));
        scenario.failing().keySet().forEach(app -> check.known("failing", app));
        scenario.user().goals().forEach(goal -> check.goal(goal, end));
        check.checks(scenario.checks());
        if (check.problems.isEmpty() && scenario.source() == null) {
            check.play();
        }
        return List.copyOf(check.problems);
    }

    private void noise(double seconds) {
        double events = scenario.noise().stream()
                .mapToDouble(noise -> noise.perHour() * seconds / Scenario.AN_HOUR)
                .sum();
        if (events > NOISE) {
            problems.add(
                    "noise: makes about %.0f events until the end, must be at most %d; lower per-hour or limits.until"
                            .formatted(events, NOISE));
        }
    }

    private void app(String name, Scenario.App app) {
        AppDefinition definition = apps.get(name);
        if (definition != null) {
            app.start().keySet().stream()
                    .filter(table -> !definition.start().has(table))
                    .forEach(table -> problems.add("apps." + name + ".start: " + app.app() + " has no table " + table));
        } else if (!name.equals(World.SYSTEM)) {
            problems.add("apps." + name + ": \"" + app.app()
                    + "\" is not shipped; name a file that ends with .yaml, or one of " + AppDefinition.SHIPPED);
        }
    }

    /** Plays events, moves and expected calls; in an imported scenario some failed when they were recorded. */
    private void play() {
        ScenarioWorld world = new ScenarioWorld(scenario.withoutNoise(), apps, 0);
        List<ScenarioWorld.Notice> notices = new ArrayList<>();
        List<Entry> calls = Stream.of(scenario.user().moves(), scenario.expected())
                .flatMap(List::stream)
                .sorted(Comparator.comparing(entry -> Objects.requireNonNull(time(entry.id()))))
                .toList();
        for (Entry entry : calls) {
            notices.addAll(world.advance(Math.max(world.now(), Objects.requireNonNull(time(entry.id())))));
            fails(entry.id(), error(world, entry, Objects.requireNonNull(entry.call())));
        }
        double last = entries.keySet().stream()
                .mapToDouble(id -> Objects.requireNonNull(time(id)))
                .max()
                .orElse(0);
        notices.addAll(world.advance(Math.max(world.now(), last)));
        notices.forEach(notice -> fails(String.valueOf(notice.due().id()), notice.error()));
    }

    private void fails(String id, @Nullable String error) {
        if (error != null) {
            problems.add(id + ": fails in the expected run: " + error);
        }
    }

    private @Nullable String error(ScenarioWorld world, Entry entry, String call) {
        if (Scenario.DIALOGUE.contains(call)) {
            world.said(entry.actor(), call, "");
            return null;
        }
        if (!scenario.user().moves().contains(entry)) {
            return world.call(call, entry.with(), true).error();
        }
        String app = ScenarioWorld.app(call);
        if (!app.equals(World.SYSTEM) && !app.equals(world.world().activeApp())) {
            world.move("System.go_home", Map.of());
            world.move("System.open_app", Map.of("app_name", TextNode.valueOf(app)));
        }
        return world.move(call, entry.with()).error();
    }

    private void entry(Entry entry, double end) {
        Double time = time(entry.id());
        if (time != null && time > end) {
            problems.add(
                    entry.id() + ": happens " + time + " s after the start, which is after the end at " + end + " s");
        }
        boolean expected = scenario.expected().contains(entry);
        if (entry.call() != null) {
            List<String> dialogue = entry.actor() == Actor.USER
                    ? List.of(Scenario.ACCEPT, Scenario.REJECT)
                    : List.of(Scenario.PROPOSE, Scenario.TELL);
            if (!expected || !dialogue.contains(entry.call())) {
                call(
                        entry.id(),
                        entry.call(),
                        entry.with(),
                        scenario.user().moves().contains(entry));
            }
        } else if (expected) {
            problems.add(entry.id() + ": an expected entry needs a call");
        }
    }

    /** Returns the seconds at which an entry happens in the expected run; null if it never does. */
    private @Nullable Double time(String id) {
        if (times.containsKey(id)) {
            return times.get(id);
        }
        if (!open.add(id)) {
            List<String> circle = new ArrayList<>(open);
            problems.add("events wait for each other: "
                    + String.join(" -> ", circle.subList(circle.indexOf(id), circle.size())) + " -> " + id);
            return null;
        }
        Entry entry = entries.get(id);
        Double base = entry == null ? null : base(entry);
        Double time = base == null || entry == null ? null : (Double) (base + entry.seconds());
        open.remove(id);
        times.put(id, time);
        return time;
    }

    private @Nullable Double base(Entry entry) {
        if (entry.at() != null) {
            return parsed(entry.id() + ".at", entry.at());
        }
        if (entry.when() != null) {
            Entry awaited = scenario.entries().stream()
                    .filter(other -> !other.equals(entry) && entry.when().matches(other))
                    .findFirst()
                    .orElse(null);
            return awaited == null
                    ? never(entry.id() + ": can never happen: no move and no expected call matches \"when\"")
                    : time(awaited.id());
        }
        double latest = 0;
        for (String after : entry.after()) {
            Double time = entries.containsKey(after)
                    ? time(after)
                    : never(entry.id() + ": can never happen: \"" + after
                            + "\" in \"after\" is not the id of an entry");
            if (time == null) {
                return null;
            }
            latest = Math.max(latest, time);
        }
        return latest;
    }

    private @Nullable Double never(String problem) {
        problems.add(problem);
        return null;
    }

    private @Nullable Double parsed(String key, @Nullable String time) {
        try {
            return time == null ? null : (Double) scenario.seconds(time);
        } catch (IllegalArgumentException e) {
            return never(key + ": " + e.getMessage());
        }
    }

    private void call(String where, String call, @Nullable Map<String, JsonNode> with, boolean move) {
        String app = ScenarioWorld.app(call);
        if (app.isEmpty()) {
            problems.add(where + ": calls \"" + call + "\", must be App.function; expected calls can also be one of "
                    + Scenario.DIALOGUE);
        } else if (known(where, app) && apps.containsKey(app)) {
            String misfit = Objects.requireNonNull(apps.get(app)).misfit(move, ScenarioWorld.function(call), with);
            if (misfit != null) {
                problems.add(where + ": " + misfit);
            }
        }
    }

    private boolean known(String where, String app) {
        boolean known = scenario.apps().containsKey(app) || app.equals(World.SYSTEM);
        if (!known) {
            problems.add(where + ": the scenario has no app \"" + app + "\"; its apps are "
                    + scenario.apps().keySet());
        }
        return known;
    }

    private void goal(Goal goal, @Nullable Double end) {
        Double from = goal.from() == null
                ? (Double) 0.0
                : entries.containsKey(goal.from()) ? time(goal.from()) : parsed(goal.id() + ".from", goal.from());
        Double given = parsed(goal.id() + ".until", goal.until());
        double until = given != null ? given : end != null ? end : Double.POSITIVE_INFINITY;
        call(goal.id(), goal.wants(), null, scenario.user().moves().stream().anyMatch(move -> goal.wants()
                .equals(move.call())));
        boolean met = Stream.of(scenario.expected(), scenario.user().moves())
                .flatMap(List::stream)
                .filter(entry -> goal.wants().equals(entry.call()) && Scenario.matches(goal.where(), entry.with()))
                .map(entry -> time(entry.id()))
                .anyMatch(time -> time != null && from != null && time >= from && time <= until);
        if (!met) {
            problems.add(goal.id() + ": cannot be met: no expected call or move is such a " + goal.wants() + " between "
                    + from + " s and " + until + " s");
        }
    }

    private void checks(Scenario.Checks checks) {
        List<String> expected = scenario.expected().stream().map(Entry::id).toList();
        checks.needed().forEach((id, arguments) -> {
            if (!expected.contains(id)) {
                problems.add("checks.needed: \"" + id + "\" is not the id of an expected call");
            }
        });
        for (Entry entry : scenario.expected()) {
            if (checks.forbidden().contains(String.valueOf(entry.call()))) {
                problems.add(entry.id() + ": expects " + entry.call() + ", which checks.forbidden names");
            }
        }
        checks.forbidden().forEach(call -> call("checks.forbidden", call, null, false));
        String silent = checks.silentBefore();
        Entry entry = silent == null ? null : entries.get(silent);
        if (silent != null && (entry == null || entry.call() == null)) {
            problems.add("checks.silent-before: \"" + silent + "\" is not the id of an entry with a call");
        }
    }
}
