package dev.prpf.par.rollout;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.Precision.PrecisionChoice;

/**
 * The sampling parameters of rollouts, the {@code sampling:} section of {@code configs/data-rollout-set*.yaml}.
 *
 * @param groupSize N, number of responses per prompt
 * @param temperature divides the logits; higher values draw more varied responses
 * @param topK keeps the k likeliest tokens; 0 for all
 * @param topP keeps the likeliest tokens up to this mass, in (0, 1]
 * @param maxNewTokens maximum number of tokens of a response
 * @param constrained whether responses are constrained to the grammar and the candidates
 * @param batchSize number of responses generated together
 * @param precision number format of the model's matrices; auto: bf16 if the processor or the GPU multiplies it, else fp32
 * @param seed of the draws
 */
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
        requireGroups(groupSize, batchSize);
        requireDraws(temperature, topK, topP, maxNewTokens, '-');
    }

    /** Returns the sampling settings that rollouts record. */
    public RolloutProvenance.Settings settings() {
        return new RolloutProvenance.Settings(temperature, topK, topP, maxNewTokens, constrained, seed);
    }

    /**
     * Checks the parameters of sampling.
     *
     * @param joint separator of words in keys: {@code -} in configurations, {@code _} in records
     * @throws IllegalArgumentException naming the first key that is out of bounds, its value and the rule
     */
    public static void requireDraws(double temperature, int topK, double topP, int maxNewTokens, char joint) {
        require(temperature > 0 && Double.isFinite(temperature), "temperature", temperature, "> 0");
        require(topK >= 0, "top" + joint + "k", topK, "at least 0");
        require(topP > 0 && topP <= 1, "top" + joint + "p", topP, "in (0, 1]");
        require(maxNewTokens > 0, joint == '-' ? "max-new-tokens" : "max_new", maxNewTokens, "at least 1");
    }

    /** Checks the numbers of responses per prompt and per batch; throws like {@link #requireDraws}. */
    public static void requireGroups(int groupSize, int batchSize) {
        String rule = "at least 2: a single response cannot be compared";
        require(groupSize >= 2, "group-size", groupSize, rule);
        require(batchSize > 0, "batch-size", batchSize, "at least 1");
    }

    /** Returns the number of prompts sampled at once, enough for batches of similar length. */
    int chunkSize() {
        return Math.max(1, BATCHES_AT_ONCE * batchSize / groupSize);
    }
}
