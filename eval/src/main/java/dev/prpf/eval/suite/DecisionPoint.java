package dev.prpf.eval.suite;

import dev.prpf.mpp.ensemble.SampleTexts;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A moment with people's label whether help was due: the unit that every suite's gates are trained and scored on.
 *
 * @param group points of one group depend on each other (a trace, duplicates, a routine): intervals draw whole groups
 * @param context what is known of profile, phone and world, in this order, "" where nothing is; or an empty list where a data set has none of the three
 * @param events everything observed so far; the list's order is the order in time (the clocks in it may run backwards)
 * @param helpNeeded the label
 */
public record DecisionPoint(String group, List<String> context, List<Event> events, boolean helpNeeded) {
    private static final int CONTEXTS = 3;

    /** What was observed, in words, at a time as the data set writes it, "" where it does not; never relied on. */
    public record Event(String time, String text) {}

    public DecisionPoint {
        context = List.copyOf(context);
        events = List.copyOf(events);
        if (!context.isEmpty() && context.size() != CONTEXTS) {
            throw new IllegalArgumentException("a decision point has " + context.size()
                    + " texts of context, must be none or 3 (profile, phone, world)");
        }
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a decision point has no events, at least 1 is needed");
        }
    }

    /** A moment in a trace of which nothing else is known; the trace is told apart by its first event, which no two traces share. */
    public static DecisionPoint inTrace(List<Event> events, boolean helpNeeded) {
        Event first = events.get(0);
        return new DecisionPoint(first.time() + " " + first.text(), List.of(), events, helpNeeded);
    }

    /** The event that has just happened. */
    Event last() {
        return events.get(events.size() - 1);
    }

    public String lastText() {
        return last().text();
    }

    /** The texts of the last events, oldest first, at most {@code count}. */
    public List<String> lastTexts(int count) {
        return events.subList(Math.max(0, events.size() - count), events.size()).stream()
                .map(Event::text)
                .toList();
    }

    /** What gates that count words read: the context, where there is one, and the last event. */
    public String words() {
        return Stream.concat(context.stream(), Stream.of(lastText()))
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining("\n"));
    }

    /** What linear members of an ensemble read. */
    SampleTexts texts() {
        return new SampleTexts(context.isEmpty() ? List.of("", "", "") : context, lastTexts(events.size()));
    }

    static List<String> groups(List<DecisionPoint> points) {
        return points.stream().map(DecisionPoint::group).toList();
    }
}
