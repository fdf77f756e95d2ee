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
    private static final int SPARE_THREADS = 40;

    /** @throws IllegalArgumentException if generations that run and wait could take all threads: perceiver and reward would wait behind them */
    public ServeConfig {
        int least = generation.maxSequences() + generation.queue() + SPARE_THREADS;
        Rule.require(
                http.threads() >= least,
                "http.threads",
                http.threads(),
                "at least " + least + ": generation.max-sequences + generation.queue + " + SPARE_THREADS);
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
