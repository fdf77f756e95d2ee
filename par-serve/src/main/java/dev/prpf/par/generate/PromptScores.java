package dev.prpf.par.generate;

import java.util.List;

/**
 * How likely a prompt's tokens are, each after those before it; the first has none before it and is left out.
 *
 * @param logProbabilities of the tokens from the second on, under the model itself
 * @param top the likeliest at each of these places; empty where none were asked for
 */
public record PromptScores(float[] logProbabilities, List<TopLogprobs> top) {
    public PromptScores {
        top = List.copyOf(top);
    }
}
