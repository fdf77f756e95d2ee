package dev.prpf.par.rollout;

import dev.prpf.base.config.FormerKeys;
import dev.prpf.par.engine.PrecisionChoice;

/**
 * How rollouts are sampled; the {@code sampling:} section of {@code configs/data-rollouts*.yaml}.
 *
 * @param groupSize N, responses a prompt
 * @param temperature divides the logits
 * @param topK only the k likeliest tokens; 0 for all
 * @param topP only the likeliest up to this mass, in (0, 1]
 * @param maxNewTokens tokens a response may have
 * @param constrained whether only responses of the grammar can be written
 * @param batchSize responses written together
 * @param precision of the computation, {@code auto} by this machine
 * @param seed of the draws
 */
@FormerKeys("max-new: sampling.max-new-tokens")
public record RolloutSampling(
        int groupSize,
        double temperature,
        int topK,
        double topP,
        int maxNewTokens,
        boolean constrained,
        int batchSize,
        PrecisionChoice precision,
        long seed) {
    private static final int BATCHES_AT_ONCE = 4;

    public RolloutSampling {
        SamplingBounds.requireGroups(groupSize, batchSize);
        SamplingBounds.requireDraws(temperature, topK, topP, maxNewTokens, '-');
    }

    /** What rollouts say of their sampling. */
    public RolloutProvenance.Settings settings() {
        return new RolloutProvenance.Settings(temperature, topK, topP, maxNewTokens, constrained, seed);
    }

    /** Prompts sampled between two looks at what came out: enough for batches of like length. */
    int chunkSize() {
        return Math.max(1, BATCHES_AT_ONCE * batchSize / groupSize);
    }
}
