package dev.prpf.par.training.grpo;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.PolicyEvaluation;
import dev.prpf.par.training.grpo.ParGrpoConfig.GrpoSampling;
import java.util.List;

/** Responses of a policy to prompts, with the rewards they earn. */
public interface PolicyRollouts {
    /**
     * Samples a group for each prompt.
     *
     * @param seed the same seed, prompts and weights give the same groups
     * @return one group per prompt, in order
     */
    List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed);

    /**
     * Answers each prompt greedily.
     *
     * @param prompts at least one
     */
    PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts);

    /** Returns whether groups come from a file, with only the log-probabilities of the policy that sampled them. */
    default boolean stored() {
        return false;
    }

    GrpoSampling sampling();
}
