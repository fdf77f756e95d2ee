package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

/**
 * How a {@link Scheduler} works.
 *
 * @param maxSequences that run at a time (vLLM's max_num_seqs)
 * @param maxPositions of a sequence, prompt and response together, its last token not counted
 * @param maxBatchedTokens of a forward pass (vLLM's max_num_batched_tokens), but one of each sequence: prompts are read in chunks, and known
 *     tokens go through, as far as it has room
 * @param prefixCacheBytes for the beginnings of prompts; 0 for none
 * @param jumpForward whether tokens that a constraint leaves no choice about go through in one pass
 * @param promptLookup tokens of a guess at most, under greedy decoding; 0 for none
 */
public record SchedulerSettings(
        int maxSequences,
        int maxPositions,
        int maxBatchedTokens,
        long prefixCacheBytes,
        boolean jumpForward,
        int promptLookup) {
    static final int BATCHED_TOKENS = 1024;
    static final long PREFIX_CACHE_BYTES = 256L << 20;
    static final int PROMPT_LOOKUP = 0;

    public SchedulerSettings {
        require(maxSequences >= 1, "max-sequences", maxSequences, "at least 1");
        require(maxPositions >= 1, "max-positions", maxPositions, "at least 1");
        require(maxBatchedTokens >= 1, "max-batched-tokens", maxBatchedTokens, "at least 1");
        require(prefixCacheBytes >= 0, "prefix-cache-bytes", prefixCacheBytes, "at least 0");
        require(promptLookup >= 0, "prompt-lookup", promptLookup, "at least 0");
    }

    /** What the commands work with, but for the prefix cache: {@link Generator} gives long prompts a larger one, and unlike ones none. */
    public static SchedulerSettings of(int maxSequences, int maxPositions) {
        return of(maxSequences, maxPositions, PREFIX_CACHE_BYTES);
    }

    static SchedulerSettings of(int maxSequences, int maxPositions, long prefixCacheBytes) {
        return new SchedulerSettings(maxSequences, maxPositions, BATCHED_TOKENS, prefixCacheBytes, true, PROMPT_LOOKUP);
    }
}
