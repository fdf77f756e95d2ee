package dev.prpf.par.generate;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The criteria that end a response before its length limit.
 *
 * @param tokens ids that end it (and belong to it), in the model's order; may be empty
 * @param texts that end it at any position, also across tokens; may be empty
 * @param text decodes tokens, a character with missing bytes as U+FFFD; may be null without texts
 */
public record StoppingCriteria(Set<Integer> tokens, List<String> texts, @Nullable Function<long[], String> text) {
    public StoppingCriteria {
        tokens = Collections.unmodifiableSet(new LinkedHashSet<>(tokens));
        texts = List.copyOf(texts);
        if (texts.contains("")) {
            throw new IllegalArgumentException("a stop text is empty: it would end every response at once");
        }
        if (!texts.isEmpty() && text == null) {
            throw new IllegalArgumentException("stop texts " + texts + " need the text of tokens");
        }
    }

    /** Returns criteria of these tokens only. */
    public static StoppingCriteria at(List<Integer> tokens) {
        return new StoppingCriteria(new LinkedHashSet<>(tokens), List.of(), null);
    }

    /** Returns the text before the first stop text, or the whole text without one. */
    public String before(String written) {
        int end = written.length();
        for (String stop : texts) {
            int at = written.indexOf(stop);
            end = at < 0 ? end : Math.min(end, at);
        }
        return written.substring(0, end);
    }
}
