package dev.prpf.par.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to continue prompts.
 *
 * @param maxNew at most so many new tokens a prompt
 * @param sampling the distribution, or null for greedy
 * @param seed of the draws; a prompt's draws depend on the seed and its place in the list, not on what it shares a batch with
 * @param endTokens ids that end a response (and belong to it); empty to go on to {@code maxNew}
 * @param batchSize prompts that are decoded together
 */
public record GenerationSettings(
        int maxNew, @Nullable Sampling sampling, long seed, List<Integer> endTokens, int batchSize) {
    public GenerationSettings {
        if (maxNew < 1) {
            throw new IllegalArgumentException("maxNew = " + maxNew + " must be at least 1");
        }
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize = " + batchSize + " must be at least 1");
        }
        endTokens = List.copyOf(endTokens);
    }

    /** The likeliest token at every step. */
    public static GenerationSettings greedy(int maxNew, List<Integer> endTokens, int batchSize) {
        return new GenerationSettings(maxNew, null, 0, endTokens, batchSize);
    }
}
