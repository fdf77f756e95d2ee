package dev.prpf.par.generate;

import java.util.List;

/**
 * The log-probabilities of a prompt's tokens, each given those before it; the first token has none.
 *
 * @param logProbabilities of the tokens from the second on, under the model itself
 * @param top the likeliest tokens at each of these positions; empty if not requested
 */
public record PromptScores(float[] logProbabilities, List<TopLogprobs> top) {
    public PromptScores {
        top = List.copyOf(top);
    }
}
