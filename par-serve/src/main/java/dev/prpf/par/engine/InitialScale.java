package dev.prpf.par.engine;

import dev.prpf.base.config.Rule;

/**
 * How large random initial weights are.
 *
 * @param range standard deviation ({@code initializer_range} of Hugging Face); about 1/sqrt(D) keeps the layers' outputs of like size
 * @param copyingGain 0 for weights that are plainly random. Above 0, what a head attends to reaches the residual stream as it was, times
 *     this gain: its output projection is the transpose of its value projection, which is orthogonal ("Mimetic Initialization of
 *     Self-Attention Layers", Trockman and Kolter 2023, there with noise and for images). The feed-forward output is scaled by the gain,
 *     too, so that a token's own embedding is not drowned. A model from nothing then learns to copy from its prompt by learning where to
 *     look, and need not first learn what to do with what it sees
 */
public record InitialScale(double range, double copyingGain) {
    public InitialScale {
        require(range, copyingGain);
    }

    /** Refuses settings outside their range, by their names in {@code par init}'s configuration. */
    public static void require(double range, double copyingGain) {
        Rule.require(range > 0 && range <= 1, "initializer-range", range, "in (0, 1]");
        Rule.require(copyingGain >= 0 && copyingGain <= 1, "copying-gain", copyingGain, "in [0, 1]");
    }

    /** Plainly random, with the standard deviation of GPT-2. */
    public static InitialScale gpt2() {
        return new InitialScale(0.02, 0);
    }
}
