package dev.prpf.par.sets;

import org.jspecify.annotations.Nullable;

/** Settings for the candidate functions of training prompts, which are those of some scenarios. */
public interface CandidateSettings {
    /** Returns the number of scenarios, at least 1 (PRPF §3.3: 5); null for the whole pool. */
    @Nullable
    Integer shortlist();

    /** Returns the treatment of targets outside of the perceived scenarios. */
    OutOfPool outOfPool();

    /** Returns the seed for the other scenarios without a perceiver, and for the ranks of added scenarios. */
    long seed();

    /** Treatment of training records with a target outside of the perceived scenarios. */
    enum OutOfPool {
        /** The target's scenarios replace the least probable ones, so that every target can be chosen. */
        ADD,
        /** The record is omitted and counted, so that pools are those of inference. */
        DROP
    }
}
