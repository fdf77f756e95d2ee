package dev.prpf.eval.suite;

import dev.prpf.mpp.ensemble.SampleTexts;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A sample of a gate suite: the events so far, and a human label whether help was due.
 *
 * @param group group of dependent points (a trace, duplicates, a routine); intervals draw whole groups
 * @param context profile, phone and world in this order, "" if unknown; empty if the data set has none of them
 * @param events everything observed so far, in order of time (their clocks may run backwards)
 */
record DecisionPoint(String group, List<String> context, List<Event> events, boolean helpNeeded) {
    private static final int CONTEXTS = 3;

    /** An observation in words, with the data set's time or ""; gates do not use the time. */
    public record Event(String time, String text) {}

    public DecisionPoint {
        events = List.copyOf(events);
        if (!context.isEmpty() && context.size() != CONTEXTS) {
            throw new IllegalArgumentException("a decision point has " + context.size()
                    + " texts of context, must have 0 or 3 (profile, phone, world)");
        }
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a decision point has no events, at least 1 is needed");
        }
    }

    /** Creates a point without context; its first event identifies the trace. */
    public static DecisionPoint inTrace(List<Event> events, boolean helpNeeded) {
        Event first = events.get(0);
        return new DecisionPoint(first.time() + " " + first.text(), List.of(), events, helpNeeded);
    }

    Event last() {
        return events.get(events.size() - 1);
    }

    public String lastText() {
        return last().text();
    }

    /** Returns the texts of the last events, oldest first, at most {@code count}. */
    public List<String> lastTexts(int count) {
        return events.subList(Math.max(0, events.size() - count), events.size()).stream()
                .map(Event::text)
                .toList();
    }

    /** Returns the text for gates that count words: the context, if any, and the last event. */
    public String words() {
        return Stream.concat(context.stream(), Stream.of(lastText()))
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining("\n"));
    }

    /** Returns the texts for linear members of an ensemble. */
    SampleTexts texts() {
        return new SampleTexts(context.isEmpty() ? List.of("", "", "") : context, lastTexts(events.size()));
    }

    static List<String> groups(List<DecisionPoint> points) {
        return points.stream().map(DecisionPoint::group).toList();
    }
}
