package dev.prpf.par.serve.reward;

import dev.prpf.base.config.Rule;

/**
 * Limits of concurrent rewards: the {@code reward:} section of configs/serve.yaml.
 *
 * @param concurrency requests that are scored at a time; 0 for one per core
 * @param maxResponses maximum responses of a request; more are refused (413)
 * @param queueTimeout seconds that a request may wait for its turn; longer: 429
 */
public record RewardServiceSettings(int concurrency, int maxResponses, int queueTimeout) {
    /** The values of configs/serve.yaml. */
    public static final RewardServiceSettings DEFAULT = new RewardServiceSettings(0, 1024, 10);

    public RewardServiceSettings {
        Rule.require(concurrency >= 0, "concurrency", concurrency, "at least 0");
        Rule.require(maxResponses >= 1, "max-responses", maxResponses, "at least 1");
        Rule.require(queueTimeout >= 1, "queue-timeout", queueTimeout, "at least 1");
    }
}
