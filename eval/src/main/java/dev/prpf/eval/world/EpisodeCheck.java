package dev.prpf.eval.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.Scenario.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Decides whether an episode solves its scenario. */
final class EpisodeCheck {
    /**
     * A call of an episode.
     *
     * @param call {@code App.function}, or a call that belongs to no app
     */
    private record Call(int step, boolean user, String call, Map<String, JsonNode> with) {}

    private final Scenario scenario;
    private final Episode episode;
    private final List<String> faults = new ArrayList<>();

    private EpisodeCheck(Scenario scenario, Episode episode) {
        this.scenario = scenario;
        this.episode = episode;
    }

    /**
     * Returns the faults of an episode; empty if it solves the scenario. Mode {@code pare}: each needed call was made, with the needed
     * arguments; acceptance, order and other writes do not matter. Mode {@code strict} in addition: a proposal was accepted, each write
     * follows an acceptance, and each write is an expected call. In both modes forbidden calls and proposals before the entry of {@code
     * silent-before} are faults.
     */
    static List<String> faults(Scenario scenario, Episode episode, EpisodeMetrics.Mode mode) {
        EpisodeCheck check = new EpisodeCheck(scenario, episode);
        check.needed(mode);
        check.forbidden();
        check.silence();
        if (mode == EpisodeMetrics.Mode.STRICT) {
            check.permission();
            check.writes();
        }
        return check.faults;
    }

    private void needed(EpisodeMetrics.Mode mode) {
        List<Call> calls = new ArrayList<>();
        for (EpisodeStep step : episode.steps()) {
            calls.addAll(calls(step, mode));
        }
        List<Entry> needed = scenario.expected().stream()
                .filter(entry -> scenario.checks().needed().containsKey(entry.id()))
                .toList();
        for (int i : unmatched(needed.size(), calls.size(), (n, c) -> isCall(needed.get(n), calls.get(c), mode))) {
            faults.add(needed.get(i).id() + ": " + needed.get(i).call() + " is missing, or differs in "
                    + scenario.checks().needed().get(needed.get(i).id()));
        }
    }

    /** Returns the calls of a step. PARE also logs calls that an app made itself as calls of the assistant. */
    private static List<Call> calls(EpisodeStep step, EpisodeMetrics.Mode mode) {
        if (step instanceof EpisodeStep.Action action) {
            boolean user = action.actor() == EpisodeStep.Actor.USER && action.cause() == null;
            boolean counts = mode == EpisodeMetrics.Mode.PARE || (action.cause() == null && action.error() == null);
            return counts
                    ? List.of(new Call(step.step(), user, action.app() + "." + action.function(), action.args()))
                    : List.of();
        }
        if (step instanceof EpisodeStep.Proposal proposal) {
            return proposal.texts().stream()
                    .map(text -> said(step, false, Scenario.PROPOSE, text))
                    .toList();
        }
        if (step instanceof EpisodeStep.Message message && message.from() != EpisodeStep.Actor.USER) {
            return List.of(said(step, false, Scenario.TELL, message.text()));
        }
        if (step instanceof EpisodeStep.Reply reply && reply.answer() != EpisodeStep.Answer.IGNORE) {
            boolean accepted = reply.answer() == EpisodeStep.Answer.ACCEPT;
            return List.of(said(step, true, accepted ? Scenario.ACCEPT : Scenario.REJECT, reply.text()));
        }
        return List.of();
    }

    private static Call said(EpisodeStep step, boolean user, String call, @Nullable String text) {
        JsonNode value = text == null ? NullNode.getInstance() : TextNode.valueOf(text);
        return new Call(step.step(), user, call, Map.of(Scenario.TEXT, value));
    }

    /** Returns whether a call is the expected one; in PARE a proposal and a report are the same function. */
    private boolean isCall(Entry expected, Call call, EpisodeMetrics.Mode mode) {
        List<String> messages = List.of(Scenario.PROPOSE, Scenario.TELL);
        boolean sameFunction = call.call().equals(expected.call())
                || (mode == EpisodeMetrics.Mode.PARE
                        && messages.contains(call.call())
                        && messages.contains(String.valueOf(expected.call())));
        return sameFunction
                && call.user() == (expected.actor() == Scenario.Actor.USER)
                && scenario.checks().needed().getOrDefault(expected.id(), List.of()).stream()
                        .allMatch(name -> Scenario.holds(
                                expected.with().getOrDefault(name, NullNode.getInstance()),
                                call.with().get(name)));
    }

    private void forbidden() {
        for (EpisodeStep step : episode.steps()) {
            calls(step, EpisodeMetrics.Mode.STRICT).stream()
                    .filter(call ->
                            !call.user() && scenario.checks().forbidden().contains(call.call()))
                    .forEach(call -> faults.add("step " + call.step() + ": " + call.call() + " is forbidden"));
        }
    }

    /** Forbids proposals before an entry has happened. */
    private void silence() {
        String id = String.valueOf(scenario.checks().silentBefore());
        scenario.entries().stream().filter(entry -> entry.id().equals(id)).forEach(entry -> episode.steps().stream()
                .takeWhile(step -> !happens(entry, step))
                .filter(EpisodeStep.Proposal.class::isInstance)
                .forEach(step -> faults.add("step " + step.step() + ": a proposal before " + id)));
    }

    private static boolean happens(Entry entry, EpisodeStep step) {
        List<Call> made = step instanceof EpisodeStep.Event event
                ? List.of(new Call(step.step(), false, event.app() + "." + event.name(), event.args()))
                : calls(step, EpisodeMetrics.Mode.STRICT);
        return made.stream()
                .anyMatch(call -> call.call().equals(entry.call()) && Scenario.matches(entry.with(), call.with()));
    }

    private static boolean isWrite(EpisodeStep step) {
        return step instanceof EpisodeStep.Action action
                && action.actor() != EpisodeStep.Actor.USER
                && action.cause() == null
                && action.error() == null
                && action.effect() == EpisodeStep.Effect.WRITE;
    }

    /** Requires an accepted proposal, and that the last reply before each write accepts the latest proposal. */
    private void permission() {
        boolean accepted = false;
        boolean permitted = false;
        for (EpisodeStep step : episode.steps()) {
            if (step instanceof EpisodeStep.Reply reply) {
                permitted = reply.answer() == EpisodeStep.Answer.ACCEPT && reply.to() != null;
                accepted |= permitted;
            } else if (step instanceof EpisodeStep.Proposal) {
                permitted = false;
            } else if (isWrite(step) && !permitted) {
                faults.add("step " + step.step() + ": a write without permission");
            }
        }
        if (!accepted) {
            faults.add("no proposal was accepted");
        }
    }

    /** Requires that each write matches a different expected call. */
    private void writes() {
        List<Call> writes = new ArrayList<>();
        for (EpisodeStep step : episode.steps()) {
            if (isWrite(step)) {
                writes.addAll(calls(step, EpisodeMetrics.Mode.STRICT));
            }
        }
        List<Entry> expected = scenario.expected();
        EpisodeMetrics.Mode strict = EpisodeMetrics.Mode.STRICT;
        for (int i :
                unmatched(writes.size(), expected.size(), (w, e) -> isCall(expected.get(e), writes.get(w), strict))) {
            faults.add("step " + writes.get(i).step() + ": " + writes.get(i).call() + " is not an expected write");
        }
    }

    /** Returns the left elements without a partner in a largest matching (Kuhn's algorithm). */
    private static List<Integer> unmatched(int left, int right, BiPredicate<Integer, Integer> pairing) {
        Map<Integer, Integer> partners = new HashMap<>();
        List<Integer> alone = new ArrayList<>();
        for (int i = 0; i < left; i++) {
            if (!paired(i, right, pairing, partners, new HashSet<>())) {
                alone.add(i);
            }
        }
        return alone;
    }

    private static boolean paired(
            int i,
            int right,
            BiPredicate<Integer, Integer> pairing,
            Map<Integer, Integer> partners,
            Set<Integer> visited) {
        for (int j = 0; j < right; j++) {
            if (pairing.test(i, j) && visited.add(j)) {
                Integer other = partners.get(j);
                if (other == null || paired(other, right, pairing, partners, visited)) {
                    partners.put(j, i);
                    return true;
                }
            }
        }
        return false;
    }
}
