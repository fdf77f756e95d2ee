package dev.prpf.par.serve.generation;

import dev.prpf.base.config.Rule;

/**
 * Limits of concurrent generations: the {@code generation:} section of configs/serve.yaml.
 *
 * @param maxSequences that run at a time (vLLM's max_num_seqs)
 * @param maxPositions maximum positions of a sequence, prompt and response together; at most the model's own
 * @param maxBatchedTokens maximum tokens of a forward pass (vLLM's max_num_batched_tokens)
 * @param prefixCacheMb of the prefix cache, in 2^20 bytes; 0 for none
 * @param queue waiting sequences, and requests waiting to encode their images; further ones are refused (429)
 * @param requestTimeout seconds that a sequence may wait and run
 */
public record ServiceSettings(
        int maxSequences, int maxPositions, int maxBatchedTokens, int prefixCacheMb, int queue, int requestTimeout) {
    /** The values of configs/serve.yaml. */
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
