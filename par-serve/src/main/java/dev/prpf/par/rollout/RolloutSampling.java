package dev.prpf.par.rollout;

import static dev.prpf.base.config.Rule.require;

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
     * Checks how tokens are drawn.
     *
     * @param joint what joins the words of a key: {@code -} in configurations, {@code _} in records
     * @throws IllegalArgumentException naming the first key that is out of bounds, its value and the rule
     */
    public static void requireDraws(double temperature, int topK, double topP, int maxNewTokens, char joint) {
        require(temperature > 0 && Double.isFinite(temperature), "temperature", temperature, "> 0");
        require(topK >= 0, "top" + joint + "k", topK, "at least 0");
        require(topP > 0 && topP <= 1, "top" + joint + "p", topP, "in (0, 1]");
        require(maxNewTokens > 0, joint == '-' ? "max-new-tokens" : "max_new", maxNewTokens, "at least 1");
    }

    /** Checks how many responses are written, of a prompt and at once; throws as {@link #requireDraws}. */
    public static void requireGroups(int groupSize, int batchSize) {
        String rule = "at least 2: a response alone has nothing to be compared with";
        require(groupSize >= 2, "group-size", groupSize, rule);
        require(batchSize > 0, "batch-size", batchSize, "at least 1");
    }

    /** Prompts sampled between two looks at what came out: enough for batches of like length. */
    int chunkSize() {
        return Math.max(1, BATCHES_AT_ONCE * batchSize / groupSize);
    }
}
