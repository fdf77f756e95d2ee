package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

/**
 * Sampling parameters that change the model's distribution of the next token, applied in the order of this record as in transformers.
 *
 * @param temperature divides the logits, &gt; 0
 * @param topK keeps the k likeliest tokens, and those equal to the last of them; 0 for all
 * @param topP keeps the likeliest tokens while those before them add up to less than this, in (0, 1]
 * @param minP keeps tokens with at least this share of the largest probability, in [0, 1]; 0 for all
 */
public record Sampling(double temperature, int topK, double topP, double minP) {
    public Sampling {
        boolean warm = temperature > 0 && Double.isFinite(temperature);
        require(warm, "temperature", temperature, "> 0; use greedy for 0");
        require(topK >= 0, "top_k", topK, ">= 0");
        require(topP > 0 && topP <= 1, "top_p", topP, "in (0, 1]");
        require(minP >= 0 && minP <= 1, "min_p", minP, "in [0, 1]");
    }

    /** Returns whether unlikely tokens are truncated. */
    boolean cuts() {
        return topK > 0 || topP < 1 || minP > 0;
    }

    /** Creates a distribution without min-p. */
    public Sampling(double temperature, int topK, double topP) {
        this(temperature, topK, topP, 0);
    }
}
