package dev.prpf.par.generate;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What ends a response before its length runs out.
 *
 * @param tokens ids that end it (and belong to it), in the model's order; may be empty
 * @param texts that end it wherever they come to stand, over the borders of tokens too; may be empty
 * @param text of tokens, a character whose last bytes are missing as U+FFFD; may be null where there are no texts
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

    /** At one of these tokens. */
    public static StoppingCriteria at(List<Integer> tokens) {
        return new StoppingCriteria(new LinkedHashSet<>(tokens), List.of(), null);
    }

    /** What stands before the first of the texts; all where there is none. */
    public String before(String written) {
        int end = written.length();
        for (String stop : texts) {
            int at = written.indexOf(stop);
            end = at < 0 ? end : Math.min(end, at);
        }
        return written.substring(0, end);
    }
}
