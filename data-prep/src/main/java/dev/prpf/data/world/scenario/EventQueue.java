package dev.prpf.data.world.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.world.World;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.Scenario.Noise;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The events of a scenario by time: at a time, after other entries, on a call, and noise. Events of one time keep the order of the
 * file; noise follows them. Times are whole milliseconds. Equal seeds give equal events. Not thread-safe.
 */
public final class EventQueue {
    private static final double SECONDS_AN_HOUR = 3600;
    private static final double MILLIS = 1e3;

    private final Scenario scenario;
    private final long seed;
    private final Map<String, Double> planned = new HashMap<>();
    private final Map<String, Double> happened = new HashMap<>();
    private final List<Double> nextNoise = new ArrayList<>();
    private final List<Integer> drawn = new ArrayList<>();
    private int failures;

    /**
     * An event that is due now.
     *
     * @param t seconds since the start
     * @param id of its entry; null for noise
     */
    public record Due(double t, @Nullable String id, String call, Map<String, JsonNode> with) {
        /** Returns whether the event is a distractor. */
        public boolean noise() {
            return id == null;
        }
    }

    /** The state of a queue; {@link #restore} returns to it. */
    public record Snapshot(
            Map<String, Double> planned,
            Map<String, Double> happened,
            List<Double> nextNoise,
            List<Integer> drawn,
            int failures) {}

    /** @param seed of the noise and of the calls that fail */
    public EventQueue(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.seed = seed;
        for (int i = 0; i < scenario.noise().size(); i++) {
            drawn.add(0);
            nextNoise.add(rounded(gap(i)));
        }
        scenario.events().stream().filter(event -> event.after().isEmpty()).forEach(this::plan);
    }

    private SplittableRandom random(String name, int number) {
        return World.random(seed, name + " " + number);
    }

    /** Draws the seconds to the next event of a Poisson process. */
    private double gap(int source) {
        Noise noise = scenario.noise().get(source);
        double uniform = random("gap of noise " + source, drawn.get(source)).nextDouble();
        return -Math.log1p(-uniform) / noise.perHour() * SECONDS_AN_HOUR;
    }

    private static double rounded(double seconds) {
        return Math.round(seconds * MILLIS) / MILLIS;
    }

    /** Returns the seconds since the start of the next event; infinity without one. */
    public double nextTime() {
        Entry next = nextEntry();
        double time = next == null ? Double.POSITIVE_INFINITY : time(planned, next.id());
        for (double noise : nextNoise) {
            time = Math.min(time, noise);
        }
        return time;
    }

    private @Nullable Entry nextEntry() {
        return scenario.events().stream()
                .filter(event -> planned.containsKey(event.id()))
                .min(Comparator.comparing(event -> time(planned, event.id())))
                .orElse(null);
    }

    private static double time(Map<String, Double> times, String id) {
        return times.getOrDefault(id, Double.POSITIVE_INFINITY);
    }

    /**
     * Removes and returns the next event.
     *
     * @param until seconds since the start
     * @return null if no event is due by then
     */
    public @Nullable Due next(double until) {
        while (nextTime() <= until) {
            double t = nextTime();
            Entry entry = nextEntry();
            if (entry == null || time(planned, entry.id()) > t) {
                return noise(t);
            }
            planned.remove(entry.id());
            String call = entry.call();
            happened(entry.id(), t);
            if (call != null) {
                trigger(null, call, entry.with(), t);
                return new Due(t, entry.id(), call, entry.with());
            }
        }
        return null;
    }

    private Due noise(double t) {
        int source = 0;
        while (nextNoise.get(source) > t) {
            source++;
        }
        Noise noise = scenario.noise().get(source);
        int row = random("row of noise " + source, drawn.get(source))
                .nextInt(noise.with().size());
        drawn.set(source, drawn.get(source) + 1);
        nextNoise.set(source, rounded(t + gap(source)));
        return new Due(t, null, noise.call(), noise.with().get(row));
    }

    /**
     * Records a call of the user or the assistant. The first expected call or move that equals it has happened, and events that wait
     * for it are planned. Only the arguments that the scenario's checks need are compared; an entry with equal arguments comes first.
     *
     * @param t seconds since the start
     */
    public void called(Actor by, String call, Map<String, JsonNode> with, double t) {
        List<Entry> entries = new ArrayList<>(scenario.expected());
        if (by == Actor.USER) {
            entries.addAll(scenario.user().moves());
        }
        entries.stream()
                .filter(entry -> !happened.containsKey(entry.id()) && call.equals(entry.call()))
                .filter(entry -> by == actor(entry))
                .filter(entry -> scenario.checks().needed().getOrDefault(entry.id(), List.of()).stream()
                        .filter(entry.with()::containsKey)
                        .allMatch(name -> Scenario.holds(
                                Objects.requireNonNull(entry.with().get(name)), with.get(name))))
                .min(Comparator.comparing(entry -> !entry.with().equals(with)))
                .ifPresent(entry -> happened(entry.id(), t));
        trigger(by, call, with, t);
    }

    private Actor actor(Entry entry) {
        return scenario.user().moves().contains(entry) ? Actor.USER : entry.actor();
    }

    private void trigger(@Nullable Actor by, String call, Map<String, JsonNode> with, double t) {
        for (Entry event : scenario.events()) {
            Scenario.When when = event.when();
            boolean matches = when != null
                    && (when.by() == null || when.by() == by)
                    && when.call().equals(call)
                    && Scenario.matches(when.where(), with);
            if (matches && !happened.containsKey(event.id())) {
                planned.putIfAbsent(event.id(), rounded(t + event.seconds()));
            }
        }
    }

    private void happened(String id, double t) {
        happened.put(id, t);
        for (Entry event : scenario.events()) {
            if (event.after().contains(id)) {
                plan(event);
            }
        }
    }

    private void plan(Entry event) {
        Double time = due(event);
        if (time != null) {
            planned.put(event.id(), time);
        }
    }

    /** Returns the seconds since the start at which an entry happened; null if it has not. */
    public @Nullable Double happened(String id) {
        return happened.get(id);
    }

    /**
     * Returns the seconds since the start at which an entry may happen: its time, or its delay after the last of other entries.
     *
     * @return null if an entry that it waits for has not happened
     */
    public @Nullable Double due(Entry entry) {
        if (entry.when() != null || !happened.keySet().containsAll(entry.after())) {
            return null;
        }
        String at = entry.at();
        double base = at == null ? 0 : scenario.seconds(at);
        for (String id : entry.after()) {
            base = Math.max(base, happened.getOrDefault(id, 0.0));
        }
        return rounded(base + entry.seconds());
    }

    /** Draws whether the assistant's next call of an app fails. */
    public boolean fails(String app) {
        return random("failure", failures++).nextDouble() < scenario.failing().getOrDefault(app, 0.0);
    }

    /** Returns the state of the queue, which later events do not change. */
    public Snapshot snapshot() {
        return new Snapshot(
                Map.copyOf(planned), Map.copyOf(happened), List.copyOf(nextNoise), List.copyOf(drawn), failures);
    }

    /** Returns to the state of a snapshot of this queue. */
    public void restore(Snapshot snapshot) {
        planned.clear();
        planned.putAll(snapshot.planned());
        happened.clear();
        happened.putAll(snapshot.happened());
        nextNoise.clear();
        nextNoise.addAll(snapshot.nextNoise());
        drawn.clear();
        drawn.addAll(snapshot.drawn());
        failures = snapshot.failures();
    }
}
