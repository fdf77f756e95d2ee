package dev.prpf.par.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The special token ids of config.json.
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
