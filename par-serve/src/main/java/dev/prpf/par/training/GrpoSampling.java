package dev.prpf.par.training;

/**
 * How responses are sampled during GRPO; the {@code rollouts:} section of {@code configs/par-grpo*.yaml}. Responses are never constrained:
 * the gradient would have to know what the constraint allowed at every token.
 *
 * @param groupSize N, responses a prompt
 * @param temperature divides the logits, while sampling and in the gradient
 * @param topK only the likeliest so many; 0 for all
 * @param topP only the likeliest up to this mass, in (0, 1]
 * @param maxNew tokens a response may have
 * @param batchSize responses written together
 */
public record GrpoSampling(int groupSize, double temperature, int topK, double topP, int maxNew, int batchSize) {
    public GrpoSampling {
        require(groupSize >= 2, "group-size", groupSize, "at least 2");
        require(temperature > 0 && Double.isFinite(temperature), "temperature", temperature, "> 0");
        require(topK >= 0, "top-k", topK, "at least 0");
        require(topP > 0 && topP <= 1, "top-p", topP, "in (0, 1]");
        require(maxNew > 0, "max-new", maxNew, "at least 1");
        require(batchSize > 0, "batch-size", batchSize, "at least 1");
    }

    private static void require(boolean holds, String key, Object value, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(key + " = " + value + " must be " + rule);
        }
    }
}
