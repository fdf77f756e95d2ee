package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

/**
 * Settings of a {@link Scheduler}.
 *
 * @param maxSequences that run at a time (vLLM's max_num_seqs)
 * @param maxPositions maximum positions of a sequence, prompt and response together, without its last token
 * @param maxBatchedTokens maximum tokens of a forward pass (vLLM's max_num_batched_tokens), without one per sequence; the rest is for chunks
 *     of prompts and known tokens
 * @param prefixCacheBytes of the prefix cache; 0 for none
 * @param jumpForward whether tokens forced by a constraint take one pass together
 * @param promptLookup most tokens in a guess, under greedy decoding; 0 for none
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

    /** Returns the commands' settings. The prefix cache differs: {@link Generator} enlarges it for long prompts, and disables it for unlike ones. */
    public static SchedulerSettings of(int maxSequences, int maxPositions) {
        return of(maxSequences, maxPositions, PREFIX_CACHE_BYTES);
    }

    static SchedulerSettings of(int maxSequences, int maxPositions, long prefixCacheBytes) {
        return new SchedulerSettings(maxSequences, maxPositions, BATCHED_TOKENS, prefixCacheBytes, true, PROMPT_LOOKUP);
    }
}
