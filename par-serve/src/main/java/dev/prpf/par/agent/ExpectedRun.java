package dev.prpf.par.agent;

import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.ProactiveAgent.Act;
import dev.prpf.par.agent.ProactiveAgent.Call;
import dev.prpf.par.agent.ProactiveAgent.Offer;
import dev.prpf.par.agent.ProactiveAgent.Report;
import dev.prpf.par.agent.ProactiveAgent.Silence;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Walks through the assistant's calls of a scenario's expected run. Writes without a stated offer are offered by name. */
final class ExpectedRun {
    private final ScenarioWorld world;
    private final List<Entry> calls;
    private int next;

    ExpectedRun(ScenarioWorld world) {
        this.world = world;
        this.calls = world.scenario().expected().stream()
                .filter(entry -> entry.actor() == Actor.AGENT && entry.call() != null)
                .toList();
    }

    /** Returns the next read or offer if its time has come, else silence. */
    Act observe() {
        while (is(next, Scenario.TELL)) {
            next++;
        }
        if (!isReady(next) || isEarly(calls.get(next))) {
            return new Silence();
        }
        return isOffer(next) ? offer() : call(next++);
    }

    /**
     * Skips the reads before the next offer and returns the offer; null while the offer waits for an event. Skips an offer once a later offer
     * with other events is ready.
     */
    @Nullable
    Offer skipToOffer() {
        int first = nextOffer(next);
        if (!isReady(first)) {
            return null;
        }
        for (int later = first + 1; is(first, Scenario.PROPOSE) && later < calls.size(); later++) {
            boolean other = !calls.get(later).after().equals(calls.get(first).after());
            first = other && is(later, Scenario.PROPOSE) && isReady(later) ? later : first;
        }
        next = first;
        return offer();
    }

    /** Returns the next call after an acceptance; a report if the rest waits for an event or an offer. */
    Act execute() {
        while (is(next, Scenario.TELL) && next + 1 < calls.size() && !is(next + 1, Scenario.PROPOSE)) {
            next++;
        }
        if (is(next, Scenario.TELL)) {
            return new Report(text(next++));
        }
        return is(next, Scenario.PROPOSE) || !isReady(next) ? new Report("Done.") : call(next++);
    }

    /** Goes to the calls that the user accepted. */
    void accepted() {
        next += is(next, Scenario.PROPOSE) ? 1 : 0;
    }

    /** Skips the calls that the user did not accept. */
    void declined() {
        boolean stated = is(next, Scenario.PROPOSE);
        do {
            next++;
        } while (next < calls.size() && (stated ? !is(next, Scenario.PROPOSE) : !isOffer(next)));
    }

    private int nextOffer(int from) {
        int first = from;
        while (first < calls.size() && !isOffer(first)) {
            first++;
        }
        return first;
    }

    private boolean isOffer(int index) {
        String call = call(index).call();
        return call.equals(Scenario.PROPOSE) || world.effect(call) == Effect.WRITE;
    }

    private boolean is(int index, String call) {
        return index < calls.size() && call.equals(calls.get(index).call());
    }

    /** Returns whether every entry that a call waits for has happened, or is an earlier call that is ready. */
    private boolean isReady(int index) {
        return index < calls.size()
                && calls.get(index).after().stream()
                        .allMatch(id -> world.queue().happened(id) != null || isReadyBefore(index, id));
    }

    private boolean isReadyBefore(int index, String id) {
        return IntStream.range(0, index)
                .anyMatch(earlier -> calls.get(earlier).id().equals(id) && (earlier < next || isReady(earlier)));
    }

    /** Returns whether the time of an entry is in the future. Delays are ignored: they are the pace of the recorded run. */
    private boolean isEarly(Entry entry) {
        return entry.at() != null && world.scenario().seconds(entry.at()) > world.now();
    }

    private Call call(int index) {
        Entry entry = calls.get(index);
        return new Call(Objects.requireNonNull(entry.call()), entry.with());
    }

    private String text(int index) {
        return Objects.requireNonNull(calls.get(index).with().get(Scenario.TEXT))
                .asText();
    }

    private Offer offer() {
        boolean stated = is(next, Scenario.PROPOSE);
        List<Call> planned = new ArrayList<>();
        for (int i = stated ? next + 1 : next; i < calls.size() && !is(i, Scenario.PROPOSE); i++) {
            if (!is(i, Scenario.TELL)) {
                planned.add(call(i));
            }
        }
        return new Offer(stated ? text(next) : "Shall I call " + planned.get(0).call() + "?", planned);
    }
}
