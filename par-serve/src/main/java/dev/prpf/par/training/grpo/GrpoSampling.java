package dev.prpf.par.training.grpo;

import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.rollout.RolloutSampling;

/**
 * How responses are sampled during GRPO; the {@code rollouts:} section of {@code configs/par-grpo*.yaml}. Responses are never constrained:
 * the gradient would have to know what the constraint allowed at every token.
 *
 * @param groupSize N, responses a prompt
 * @param temperature divides the logits, while sampling and in the gradient
 * @param topK only the k likeliest tokens; 0 for all
 * @param topP only the likeliest up to this mass, in (0, 1]
 * @param maxNewTokens tokens a response may have
 * @param batchSize responses written together
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
