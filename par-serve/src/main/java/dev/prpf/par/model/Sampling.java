package dev.prpf.par.model;

/**
 * A distribution to draw the next token from.
 *
 * @param temperature divides the logits, &gt; 0
 * @param topK only the likeliest so many; 0 for all
 * @param topP only the likeliest whose probabilities before them add up to less than this, in (0, 1]
 */
public record Sampling(double temperature, int topK, double topP) {
    public Sampling {
        if (!(temperature > 0)) {
            throw new IllegalArgumentException("temperature = " + temperature + " must be > 0; use greedy for 0");
        }
        if (topK < 0) {
            throw new IllegalArgumentException("top_k = " + topK + " must be >= 0");
        }
        if (!(topP > 0 && topP <= 1)) {
            throw new IllegalArgumentException("top_p = " + topP + " must lie in (0, 1]");
        }
    }
}
