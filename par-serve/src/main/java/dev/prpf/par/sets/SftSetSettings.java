package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.par.sets.CandidateSettings.OutOfPool;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an SFT set; the {@code set:} section of {@code configs/data-sft-set*.yaml}.
 *
 * @param target choice of the valid answers to learn
 * @param maxCalls maximum number of calls of a target, others are omitted; null for no limit
 * @param shortlist number of scenarios of a candidate pool; null for the whole pool
 * @param outOfPool treatment of targets outside of the perceived scenarios
 * @param seed of the candidates
 */
public record SftSetSettings(
        Target target, @Nullable Integer maxCalls, @Nullable Integer shortlist, OutOfPool outOfPool, long seed)
        implements CandidateSettings, Serializable {
    /** Choice among a sample's valid answers. */
    public enum Target {
        /** The first valid answer. */
        FIRST,
        /** The valid answer with the fewest calls; silence if it is valid. */
        SHORTEST,
        /** Each valid answer, in separate records. */
        ALL
    }

    public SftSetSettings {
        Rule.require(maxCalls == null || maxCalls > 0, "max-calls", maxCalls, "at least 1");
        Rule.require(
                shortlist == null || shortlist > 0, "shortlist", shortlist, "at least 1, or null for the whole pool");
    }
}
