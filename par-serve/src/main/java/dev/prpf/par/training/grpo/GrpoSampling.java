package dev.prpf.par.training.grpo;

import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.rollout.RolloutSampling;

/**
 * The sampling of responses in GRPO; the {@code rollouts:} section of {@code configs/reasoner-grpo*.yaml}. Responses are never constrained: the gradient
 * would need the allowed tokens at every position.
 *
 * @param groupSize N, responses per prompt
 * @param temperature divides the logits, in sampling and in the gradient
 * @param topK keeps the k likeliest tokens; 0 for all
 * @param topP keeps the likeliest tokens up to this mass, in (0, 1]
 * @param maxNewTokens most tokens of a response
 * @param batchSize responses generated together
 */
public record GrpoSampling(int groupSize, double temperature, int topK, double topP, int maxNewTokens, int batchSize) {
    public GrpoSampling {
        RolloutSampling.requireGroups(groupSize, batchSize);
        RolloutSampling.requireDraws(temperature, topK, topP, maxNewTokens, '-');
    }

    /** Returns the sampling settings that rollouts record. */
    RolloutProvenance.Settings settings(long seed) {
        return new RolloutProvenance.Settings(temperature, topK, topP, maxNewTokens, false, seed);
    }
}
