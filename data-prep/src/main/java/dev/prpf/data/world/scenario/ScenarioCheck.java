package dev.prpf.data.world.scenario;

import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.Scenario.Goal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the defects of a scenario that show without a run: unknown names, events that can never happen, goals that cannot be met. */
public final class ScenarioCheck {
    private final Scenario scenario;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<String, @Nullable Double> times = new HashMap<>();
    private final Set<String> open = new LinkedHashSet<>();
    private final Set<String> problems = new LinkedHashSet<>();

    private ScenarioCheck(Scenario scenario) {
        this.scenario = scenario;
    }

    /** Returns a message for each defect; empty without defects. */
    public static List<String> problems(Scenario scenario) {
        ScenarioCheck check = new ScenarioCheck(scenario);
        for (Entry entry : scenario.entries()) {
            if (check.entries.put(entry.id(), entry) != null) {
                check.problems.add(
                        entry.id() + ": the id is a duplicate; ids of events, moves and expected calls differ");
            }
        }
        Double end = check.parsed("limits.until", scenario.limits().until());
        for (Entry entry : scenario.entries()) {
            check.entry(entry, end == null ? Double.POSITIVE_INFINITY : end);
        }
        scenario.noise().forEach(noise -> check.call("noise", noise.call(), List.of()));
        scenario.failing().keySet().forEach(app -> check.app("failing", app));
        scenario.user().goals().forEach(goal -> check.goal(goal, end));
        check.checks(scenario.checks());
        return List.copyOf(check.problems);
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
            call(entry.id(), entry.call(), expected ? dialogue : List.of());
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

    private void call(String where, String call, List<String> dialogue) {
        int dot = call.indexOf('.');
        if (dot > 0) {
            app(where, call.substring(0, dot));
        } else if (!dialogue.contains(call)) {
            problems.add(where + ": calls \"" + call + "\", must be App.function"
                    + (dialogue.isEmpty() ? "" : " or one of " + dialogue));
        }
    }

    private void app(String where, String app) {
        if (!scenario.apps().containsKey(app)) {
            problems.add(where + ": the scenario has no app \"" + app + "\"; its apps are "
                    + scenario.apps().keySet());
        }
    }

    private void goal(Goal goal, @Nullable Double end) {
        Double from = goal.from() == null
                ? (Double) 0.0
                : entries.containsKey(goal.from()) ? time(goal.from()) : parsed(goal.id() + ".from", goal.from());
        Double given = parsed(goal.id() + ".until", goal.until());
        double until = given != null ? given : end != null ? end : Double.POSITIVE_INFINITY;
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
        String silent = checks.silentBefore();
        if (silent != null && !entries.containsKey(silent)) {
            problems.add("checks.silent-before: \"" + silent + "\" is not the id of an entry");
        }
    }
}
