package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

/**
 * A distribution to draw the next token from: the model's, changed by each of these in this order, as transformers' logits warpers do it.
 *
 * @param temperature divides the logits, &gt; 0
 * @param topK only the k likeliest tokens, and those as likely as the last of them; 0 for all
 * @param topP only the likeliest whose probabilities before them add up to less than this, in (0, 1]
 * @param minP only those whose probability is at least this share of the largest, in [0, 1]; 0 for all
 */
public record Sampling(double temperature, int topK, double topP, double minP) {
    public Sampling {
        boolean warm = temperature > 0 && Double.isFinite(temperature);
        require(warm, "temperature", temperature, "> 0; use greedy for 0");
        require(topK >= 0, "top_k", topK, ">= 0");
        require(topP > 0 && topP <= 1, "top_p", topP, "in (0, 1]");
        require(minP >= 0 && minP <= 1, "min_p", minP, "in [0, 1]");
    }

    /** Whether unlikely tokens are left out. */
    boolean cuts() {
        return topK > 0 || topP < 1 || minP > 0;
    }

    /** The same without a least share. */
    public Sampling(double temperature, int topK, double topP) {
        this(temperature, topK, topP, 0);
    }
}
