package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Sampling;

/**
 * The sampling of responses. A sample's draws depend only on seed and id. Resumed, sharded or in another batch it gets the same response, except that
 * the last bits of the logits may change a draw.
 *
 * @param temperature divides the logits, above 0
 * @param topP keeps the likeliest tokens while those before them add up to less than this, in (0, 1]
 * @param seed of all draws
 */
public record SeededSampling(double temperature, double topP, long seed) {
    public SeededSampling {
        boolean warm = temperature > 0 && Double.isFinite(temperature);
        Rule.require(warm, "temperature", temperature, "at least 0; 0 is greedy");
        Rule.require(topP > 0 && topP <= 1, "top-p", topP, "in (0, 1]");
    }

    Sampling sampling() {
        return new Sampling(temperature, 0, topP);
    }

    /** Returns the seed of a sample's draws. */
    long seedOf(String id) {
        return GenerationRequest.seedsOf(seed + "\u0000" + id, 1).get(0);
    }
}
