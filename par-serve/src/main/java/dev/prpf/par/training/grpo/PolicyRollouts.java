package dev.prpf.par.training.grpo;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.PolicyEvaluation;
import java.util.List;

/** Responses of a policy to prompts, with the rewards they earn. */
public interface PolicyRollouts {
    /**
     * Samples a group for each prompt.
     *
     * @param seed the same seed, prompts and weights give the same groups
     * @return one group a prompt, in their order
     */
    List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed);

    /**
     * Answers each prompt greedily.
     *
     * @param prompts at least one
     */
    PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts);

    /** Whether groups come from a file, not from the policy: all that is known of the policy that wrote them are its log-probabilities. */
    default boolean stored() {
        return false;
    }

    /** How responses are sampled. */
    GrpoSampling sampling();
}
