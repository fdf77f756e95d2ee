package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;

/**
 * What of the cascade is switched on; both off is the single-stage baseline.
 *
 * @param gate whether samples under the threshold stay silent without the reasoner
 * @param compress whether the reasoner sees the functions of the top-K scenarios only
 * @param topK K (PRPF §3.3: 5)
 * @param threshold τ: a sample passes iff its p_trigger is at least that
 */
public record CascadeSettings(boolean gate, boolean compress, int topK, double threshold) {
    public CascadeSettings {
        Rule.require(topK >= 1, "top-k", topK, "at least 1");
        Rule.require(threshold >= 0 && threshold <= 1, "threshold", threshold, "in [0, 1]");
    }

    /** Whether a perceiver is needed at all. */
    public boolean perceives() {
        return gate || compress;
    }
}
