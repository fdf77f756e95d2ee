package dev.prpf.par.generate;

import java.util.List;
import java.util.Objects;

/** Sees the tokens of one response and says when its text holds a stop text. */
final class StopStringMatcher {
    private final List<String> stops;
    private final int longest;
    private final IncrementalText text;
    private String tail = "";

    /** @param criteria has stop texts */
    StopStringMatcher(StoppingCriteria criteria, long[] prompt) {
        stops = criteria.texts();
        longest = stops.stream().mapToInt(String::length).max().orElseThrow();
        text = new IncrementalText(Objects.requireNonNull(criteria.text()), prompt);
    }

    /** Whether a stop text stands in what has been written since the last token that completed none. */
    boolean stopsAt(long id) {
        tail += text.add(id);
        boolean matches = stops.stream().anyMatch(tail::contains);
        tail = tail.substring(Math.max(0, tail.length() - longest + 1));
        return matches;
    }

    /** A token whose text ends nothing. */
    void pass(long id) {
        text.add(id);
    }
}
