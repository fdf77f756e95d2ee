package dev.prpf.par.sets;

import org.jspecify.annotations.Nullable;

/** Which scenarios' functions a training prompt shows. */
public interface CandidateSettings {
    /** How many scenarios, at least 1 (PRPF §3.3: 5); null for the whole pool, which no perceiver narrows. */
    @Nullable
    Integer topK();

    /** What happens where the target's scenarios are not among the perceived ones. */
    OutOfPool outOfPool();

    /** Of the scenarios that stand beside the target's where no perceiver ran, and of the ranks that added ones take. */
    long seed();
}
