package dev.prpf.par.generate;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Sees the tokens of one response and says when its text holds a stop text. A decoder of bytes may need several tokens for one character,
 * and what a token says may depend on the one before it, so only the difference between two decodings of the last tokens counts, and only
 * once its last character is whole.
 */
final class StopStringMatcher {
    /** Tokens of the prompt that the first new ones are read after. */
    private static final int CONTEXT = 5;

    private static final char INCOMPLETE = '\uFFFD';

    private final List<String> stops;
    private final int longest;
    private final Function<long[], String> text;
    private long[] ids;
    private int length;
    private int from;
    private int read;
    private String tail = "";

    /** @param criteria has stop texts */
    StopStringMatcher(StoppingCriteria criteria, long[] prompt) {
        stops = criteria.texts();
        longest = stops.stream().mapToInt(String::length).max().orElseThrow();
        text = Objects.requireNonNull(criteria.text());
        length = Math.min(CONTEXT, prompt.length);
        ids = Arrays.copyOf(Arrays.copyOfRange(prompt, prompt.length - length, prompt.length), 2 * CONTEXT);
        read = length;
    }

    /** Whether a stop text stands in what has been written since the last token that completed none. */
    boolean stopsAt(long id) {
        tail += gained(id);
        boolean matches = stops.stream().anyMatch(tail::contains);
        tail = tail.substring(Math.max(0, tail.length() - longest + 1));
        return matches;
    }

    /** What the text gains by one more token; empty while a character is incomplete. */
    private String gained(long id) {
        if (length == ids.length) {
            ids = Arrays.copyOf(ids, 2 * length);
        }
        ids[length++] = id;
        String before = text.apply(Arrays.copyOfRange(ids, from, read));
        String now = text.apply(Arrays.copyOfRange(ids, from, length));
        if (now.length() <= before.length() || now.charAt(now.length() - 1) == INCOMPLETE) {
            return "";
        }
        from = read;
        read = length;
        return now.substring(before.length());
    }
}
