package dev.prpf.par.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The token ids that config.json gives a meaning.
 *
 * @param begin id, or null
 * @param end ids that end a response; may be empty
 * @param pad id, or null
 */
public record SpecialTokens(@Nullable Integer begin, List<Integer> end, @Nullable Integer pad) {
    public SpecialTokens {
        end = List.copyOf(end);
    }
}
