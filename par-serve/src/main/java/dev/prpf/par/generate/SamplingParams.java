package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sampling parameters of one prompt; names as in vLLM.
 *
 * @param maxNewTokens most new tokens; fewer at the end of the model's positions
 * @param sampling the distribution, or null for greedy decoding
 * @param repetitionPenalty of tokens in prompt or response: their logits are divided by it, or multiplied if negative (CTRL, arXiv:1909.05858, as
 *     in transformers); 1 for none
 * @param ending stopping criteria
 * @param logprobs whether to return greedy tokens' log-probabilities. NaN if not, which saves a softmax over the vocabulary per token and the
 *     logits of forced tokens. Drawn tokens always have them
 * @param topLogprobs number of likeliest tokens to return at each position; 0 for none
 * @param promptLogprobs whether to score the prompt's tokens; the prompt is then prefilled whole, without the prefix cache
 * @param changes of the logits
 */
public record SamplingParams(
        int maxNewTokens,
        @Nullable Sampling sampling,
        double repetitionPenalty,
        StoppingCriteria ending,
        boolean logprobs,
        int topLogprobs,
        boolean promptLogprobs,
        LogitChanges changes) {
    /** Lower penalties would raise logits beyond the range of float32. */
    public static final double LEAST_PENALTY = 0.01;

    public SamplingParams {
        require(maxNewTokens >= 1, "maxNewTokens", maxNewTokens, "at least 1");
        requirePenalty(repetitionPenalty);
        require(topLogprobs >= 0, "top_logprobs", topLogprobs, "at least 0");
        require(topLogprobs == 0 || logprobs, "top_logprobs", topLogprobs, "0 where log-probabilities are not wanted");
    }

    /** @throws IllegalArgumentException for a repetition penalty that is too low or infinite */
    public static void requirePenalty(double penalty) {
        boolean right = penalty >= LEAST_PENALTY && Double.isFinite(penalty);
        require(right, "repetition_penalty", penalty, ">= " + LEAST_PENALTY);
    }

    /** Creates parameters without changes of the logits. */
    public SamplingParams(
            int maxNewTokens,
            @Nullable Sampling sampling,
            double repetitionPenalty,
            StoppingCriteria ending,
            boolean logprobs) {
        this(maxNewTokens, sampling, repetitionPenalty, ending, logprobs, 0, false, LogitChanges.NONE);
    }

    /** Creates parameters with log-probabilities. */
    public SamplingParams(
            int maxNewTokens, @Nullable Sampling sampling, double repetitionPenalty, StoppingCriteria ending) {
        this(maxNewTokens, sampling, repetitionPenalty, ending, true);
    }

    /** Returns whether log-probabilities are computed. */
    boolean scores() {
        return logprobs || sampling != null;
    }

    /** Returns parameters for greedy decoding. */
    public static SamplingParams greedy(int maxNewTokens, List<Integer> endTokens) {
        return new SamplingParams(maxNewTokens, null, 1, StoppingCriteria.at(endTokens));
    }
}
