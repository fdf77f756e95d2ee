package dev.prpf.par.serve;

import dev.prpf.base.config.Rule;
import dev.prpf.par.serve.cascade.CascadeSettings;
import dev.prpf.par.serve.cascade.SessionSettings;
import dev.prpf.par.serve.generation.ServiceSettings;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.policy.PolicySettings;
import dev.prpf.par.serve.reward.RewardServiceSettings;

/**
 * configs/serve.yaml.
 *
 * @param http what is taken from whom
 * @param generation how generations share the engine
 * @param cascade how moments are answered
 * @param sessions their bounds
 * @param reward how rewards share the processors
 * @param policy where users' policies keep their state
 */
public record ServeConfig(
        HttpSettings http,
        ServiceSettings generation,
        CascadeSettings cascade,
        SessionSettings sessions,
        RewardServiceSettings reward,
        PolicySettings policy) {
    /** One looks at pictures, one perceives. */
    private static final int BUSY = 2;

    private static final int SPARE_THREADS = 40;

    /**
     * Each generation holds a thread, and so does each request with pictures before its generation is submitted: one looks at them, others
     * wait for their turn at the vision tower. Each moment holds one while it waits for the perceiver.
     *
     * @throws IllegalArgumentException if these could take all threads: rewards and tokenizing would wait behind them
     */
    public ServeConfig {
        long least = generation.maxSequences() + 2L * generation.queue() + cascade.queue() + BUSY + SPARE_THREADS;
        Rule.require(
                http.threads() >= least,
                "http.threads",
                http.threads(),
                "at least " + least + ": generation.max-sequences + 2 * generation.queue + cascade.queue + "
                        + (BUSY + SPARE_THREADS)
                        + ", for as many requests wait for the vision tower as generations wait");
    }

    /** What configs/serve.yaml says. */
    public static final ServeConfig DEFAULT = new ServeConfig(
            HttpSettings.DEFAULT,
            ServiceSettings.DEFAULT,
            CascadeSettings.DEFAULT,
            SessionSettings.DEFAULT,
            RewardServiceSettings.DEFAULT,
            PolicySettings.DEFAULT);
}
