package dev.prpf.par.engine;

import dev.prpf.base.config.Rule;

/**
 * The size of random initial weights.
 *
 * @param range standard deviation ({@code initializer_range} of Hugging Face); about 1/sqrt(D) keeps the layers' outputs of like size
 * @param copyingGain 0 for purely random weights. Above 0, attention copies attended embeddings, times this gain, into the residual stream. The
 *     output projection is the transpose of the value projection, which is orthogonal. See "Mimetic Initialization of Self-Attention Layers"
 *     (Trockman and Kolter 2023, there with noise and for images). The gain also scales the feed-forward output, so that a token's own embedding is
 *     not drowned. A new model then learns to copy from its prompt by learning only where to attend
 */
public record InitialScale(double range, double copyingGain) {
    public InitialScale {
        require(range, copyingGain);
    }

    /** Refuses settings outside their range, by their names in {@code reasoner init}'s configuration. */
    public static void require(double range, double copyingGain) {
        Rule.require(range > 0 && range <= 1, "initializer-range", range, "in (0, 1]");
        Rule.require(copyingGain >= 0 && copyingGain <= 1, "copying-gain", copyingGain, "in [0, 1]");
    }

    /** Returns purely random weights with the standard deviation of GPT-2. */
    public static InitialScale gpt2() {
        return new InitialScale(0.02, 0);
    }
}
