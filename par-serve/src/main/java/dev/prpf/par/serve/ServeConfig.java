package dev.prpf.par.serve;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.serve.cascade.CascadeSettings;
import dev.prpf.par.serve.cascade.CascadeSettings.SessionSettings;
import dev.prpf.par.serve.cascade.PareRole.RoleSettings;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import dev.prpf.par.serve.reward.RewardRoutes.RewardServiceSettings;

/**
 * The configuration file configs/serve.yaml.
 *
 * @param http limits of requests
 * @param generation how generations share the engine
 * @param sessions bounds of sessions
 * @param reward how rewards share the processors
 * @param policy where users' policies keep their state
 * @param roles response times of PARE's models
 */
@Defaults("/configs/serve.yaml")
public record ServeConfig(
        HttpSettings http,
        ServiceSettings generation,
        CascadeSettings cascade,
        SessionSettings sessions,
        RewardServiceSettings reward,
        PolicySettings policy,
        RoleSettings roles) {
    /** Threads of one vision encoder and one perceiver at work. */
    private static final int BUSY = 2;

    private static final int SPARE_THREADS = 56;

    /**
     * Requires enough threads for requests. Each generation holds one, and each request with images before its generation is submitted, also while it waits for
     * the vision encoder. Each sample holds one while it waits for the perceiver.
     *
     * @throws IllegalArgumentException if these could take all threads: rewards and tokenizing would have to wait for them
     */
    public ServeConfig {
        long least = generation.maxSequences() + 2L * generation.queue() + cascade.queue() + BUSY + SPARE_THREADS;
        Rule.require(
                http.threads() >= least,
                "http.threads",
                http.threads(),
                "at least " + least + ": generation.max-sequences + 2 * generation.queue + cascade.queue + "
                        + (BUSY + SPARE_THREADS)
                        + ", for as many requests may wait for the vision encoder as generations");
    }

    /** Returns this configuration with a cascade's settings of responses. */
    public ServeConfig with(CascadeFolder.Answering answering) {
        return new ServeConfig(http, generation, cascade.with(answering), sessions, reward, policy, roles);
    }

    /** The values of configs/serve.yaml. */
    public static final ServeConfig DEFAULT = StrictYaml.shipped("/configs/serve.yaml", ServeConfig.class);
}
