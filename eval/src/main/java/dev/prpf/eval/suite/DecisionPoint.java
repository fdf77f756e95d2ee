package dev.prpf.eval.suite;

import java.util.List;

/**
 * A moment in a desktop trace at which people were asked whether help was due: the unit of ProactiveBench's Task A.
 *
 * @param events everything observed so far; the list's order is the order in time (the clocks in it run backwards now and then)
 * @param helpNeeded the released label {@code help_needed}: some proposed task was accepted by every annotator
 */
public record DecisionPoint(List<Event> events, boolean helpNeeded) {
    /**
     * One observation.
     *
     * @param time a Unix time in real traces, words such as "Day 1, 11:00 PM" in synthetic ones; never relied on
     * @param text what the user did, one English sentence (with Chinese names in it now and then)
     */
    public record Event(String time, String text) {}

    public DecisionPoint {
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a decision point has no events, at least 1 is needed");
        }
    }

    /** The trace this moment belongs to: its first event, which no two traces share. */
    public Event trace() {
        return events.get(0);
    }

    /** Whether the trace was written by a language model rather than recorded. */
    public boolean synthetic() {
        return trace().time().startsWith("Day");
    }

    /** The text of the event that has just happened. */
    public String lastText() {
        return events.get(events.size() - 1).text();
    }

    /** The texts of the last events, oldest first, at most {@code count}. */
    public List<String> lastTexts(int count) {
        return events.subList(Math.max(0, events.size() - count), events.size()).stream()
                .map(Event::text)
                .toList();
    }
}
