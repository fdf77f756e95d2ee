package dev.prpf.par.generate;

import java.util.Objects;

/** Sees the tokens of one response and says when its text holds a stop text. */
final class StopStringMatcher {
    private final StoppingCriteria ending;
    private final WrittenText written;
    private final int longest;
    private String tail = "";

    /** @param ending has stop texts */
    StopStringMatcher(StoppingCriteria ending, long[] prompt) {
        this.ending = ending;
        written = new WrittenText(Objects.requireNonNull(ending.text()), prompt);
        longest = ending.texts().stream().mapToInt(String::length).max().orElseThrow();
    }

    /** Whether a stop text stands in what has been written since the last token that completed none. */
    boolean stopsAt(long id) {
        tail += written.append(id);
        boolean stops = ending.texts().stream().anyMatch(tail::contains);
        tail = tail.substring(Math.max(0, tail.length() - longest + 1));
        return stops;
    }
}
