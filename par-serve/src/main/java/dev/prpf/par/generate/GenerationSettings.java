package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to continue prompts.
 *
 * @param maxNewTokens at most this many new tokens for a prompt
 * @param sampling the distribution, or null for greedy
 * @param repetitionPenalty of tokens that prompt or response hold already: their logits are divided by it, or multiplied if negative
 *     (CTRL, arXiv:1909.05858, as transformers does it); 1 for none
 * @param ending what ends a response
 * @param batchSize responses in a batch
 */
public record GenerationSettings(
        int maxNewTokens,
        @Nullable Sampling sampling,
        double repetitionPenalty,
        StoppingCriteria ending,
        int batchSize) {
    public GenerationSettings {
        require(maxNewTokens >= 1, "maxNewTokens", maxNewTokens, "at least 1");
        boolean positive = repetitionPenalty > 0 && Double.isFinite(repetitionPenalty);
        require(positive, "repetition_penalty", repetitionPenalty, "> 0");
        require(batchSize >= 1, "batchSize", batchSize, "at least 1");
    }

    /** The likeliest token at every step. */
    public static GenerationSettings greedy(int maxNewTokens, List<Integer> endTokens, int batchSize) {
        return new GenerationSettings(maxNewTokens, null, 1, StoppingCriteria.at(endTokens), batchSize);
    }

    /** Draws from a distribution. */
    public static GenerationSettings sampled(
            int maxNewTokens, Sampling sampling, List<Integer> endTokens, int batchSize) {
        return new GenerationSettings(maxNewTokens, sampling, 1, StoppingCriteria.at(endTokens), batchSize);
    }
}
