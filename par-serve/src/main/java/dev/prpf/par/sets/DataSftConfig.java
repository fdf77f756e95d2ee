package dev.prpf.par.sets;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The configuration files {@code configs/data-sft-set*.yaml}.
 *
 * @param prompt format of prompts and responses
 * @param set content of the set
 * @param encoder of the perceiver ({@code --gate}) and of screen texts; only used if needed
 */
@Defaults("/configs/data-sft-set.yaml")
public record DataSftConfig(PromptSettings prompt, SftSetSettings set, EncoderSettings encoder) {

    /**
     * Settings of an SFT set; the {@code set:} section of {@code configs/data-sft-set*.yaml}.
     *
     * @param target choice of the valid answers to learn
     * @param maxCalls maximum number of calls of a target, others are omitted; null for no limit
     * @param shortlist number of scenarios of a candidate pool; null for the whole pool
     * @param outOfPool treatment of targets outside of the perceived scenarios
     * @param seed of the candidate pools
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
                    shortlist == null || shortlist > 0,
                    "shortlist",
                    shortlist,
                    "at least 1, or null for the whole pool");
        }
    }
}
