package dev.prpf.par.serve.generation;

import dev.prpf.base.config.Rule;

/**
 * How generations share the engine: the {@code generation:} section of configs/serve.yaml.
 *
 * @param maxSequences that run at a time (vLLM's max_num_seqs)
 * @param maxPositions of a sequence, prompt and response together; the model's own where that is less
 * @param maxBatchedTokens of a forward pass (vLLM's max_num_batched_tokens)
 * @param prefixCacheMb for the beginnings of prompts, in 2^20 bytes; 0 for none
 * @param queue sequences that may wait beside those that run, and requests that may wait to look at their pictures; further ones are refused (429)
 * @param requestTimeout seconds that a sequence may wait and run
 */
public record ServiceSettings(
        int maxSequences, int maxPositions, int maxBatchedTokens, int prefixCacheMb, int queue, int requestTimeout) {
    /** What configs/serve.yaml says. */
    public static final ServiceSettings DEFAULT = new ServiceSettings(16, 8192, 1024, 256, 64, 300);

    public ServiceSettings {
        Rule.require(maxSequences >= 1, "max-sequences", maxSequences, "at least 1");
        Rule.require(maxPositions >= 2, "max-positions", maxPositions, "at least 2");
        Rule.require(maxBatchedTokens >= 1, "max-batched-tokens", maxBatchedTokens, "at least 1");
        Rule.require(prefixCacheMb >= 0, "prefix-cache-mb", prefixCacheMb, "at least 0");
        Rule.require(queue >= 0, "queue", queue, "at least 0");
        Rule.require(requestTimeout >= 1, "request-timeout", requestTimeout, "at least 1");
    }
}
