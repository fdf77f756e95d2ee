package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one prompt is continued; named after vLLM's.
 *
 * @param maxNewTokens at most this many new tokens; fewer where the model's positions end
 * @param sampling the distribution, or null for greedy
 * @param repetitionPenalty of tokens that prompt or response hold already: their logits are divided by it, or multiplied if negative
 *     (CTRL, arXiv:1909.05858, as transformers does it); 1 for none
 * @param ending what ends a response
 * @param logprobs whether greedy tokens' log-probabilities are wanted; they are NaN where not, which spares a pass over the vocabulary a token
 *     and the logits of forced ones. Drawn tokens have theirs always
 * @param topLogprobs how many of the likeliest tokens are told at each place; 0 for none
 * @param promptLogprobs whether the prompt's own tokens are scored; it is then read whole, whatever the prefix cache has
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
    public SamplingParams {
        require(maxNewTokens >= 1, "maxNewTokens", maxNewTokens, "at least 1");
        boolean positive = repetitionPenalty > 0 && Double.isFinite(repetitionPenalty);
        require(positive, "repetition_penalty", repetitionPenalty, "> 0");
        require(topLogprobs >= 0, "top_logprobs", topLogprobs, "at least 0");
        require(topLogprobs == 0 || logprobs, "top_logprobs", topLogprobs, "0 where log-probabilities are not wanted");
    }

    /** With the model's logits as they are. */
    public SamplingParams(
            int maxNewTokens,
            @Nullable Sampling sampling,
            double repetitionPenalty,
            StoppingCriteria ending,
            boolean logprobs) {
        this(maxNewTokens, sampling, repetitionPenalty, ending, logprobs, 0, false, LogitChanges.NONE);
    }

    /** With log-probabilities. */
    public SamplingParams(
            int maxNewTokens, @Nullable Sampling sampling, double repetitionPenalty, StoppingCriteria ending) {
        this(maxNewTokens, sampling, repetitionPenalty, ending, true);
    }

    /** Whether a token's log-probability is worked out. */
    boolean scores() {
        return logprobs || sampling != null;
    }

    /** The likeliest token at every step. */
    public static SamplingParams greedy(int maxNewTokens, List<Integer> endTokens) {
        return new SamplingParams(maxNewTokens, null, 1, StoppingCriteria.at(endTokens));
    }
}
