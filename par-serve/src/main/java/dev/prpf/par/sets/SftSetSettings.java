package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What goes into an SFT set; the {@code set:} section of {@code configs/data-sft*.yaml}.
 *
 * @param target which valid answers are learned
 * @param maxCalls a target with more calls is left out; null for no limit
 * @param topK scenarios a candidate pool holds; null for the whole pool
 * @param outOfPool what happens where a target's functions are not in the perceived scenarios
 * @param seed of the candidates
 */
public record SftSetSettings(
        Target target, @Nullable Integer maxCalls, @Nullable Integer topK, OutOfPool outOfPool, long seed)
        implements CandidateSettings, Serializable {
    /** Choice among a sample's valid answers. */
    public enum Target {
        /** The first valid answer. */
        FIRST,
        /** The one with the fewest calls; silence if it is valid. */
        SHORTEST,
        /** Every one, a record each. */
        ALL
    }

    public SftSetSettings {
        Rule.require(maxCalls == null || maxCalls > 0, "max-calls", maxCalls, "at least 1");
        Rule.require(topK == null || topK > 0, "top-k", topK, "at least 1, or null for the whole pool");
    }
}
