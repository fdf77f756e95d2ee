package dev.prpf.par.rollout;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import dev.prpf.par.sets.PromptExamples.RolloutPromptSettings;

/**
 * The configuration of rollouts, {@code configs/data-rollout-set*.yaml}. The model decides the form of prompts.
 *
 * @param prompts the selection of prompts
 * @param sampling parameters of sampling
 * @param reward constants of the reward
 * @param set rules of the GRPO set
 * @param encoder of the perceiver ({@code --gate}) and of screenshots' texts; used only if the data need it
 */
@Defaults("/configs/data-rollout-set.yaml")
public record DataRolloutsConfig(
        RolloutPromptSettings prompts,
        RolloutSampling sampling,
        RewardSettings reward,
        GrpoSetSettings set,
        EncoderSettings encoder) {
    /** The settings that decide the rollouts; with equal ones a set can be made again from existing rollouts. */
    public record Rollouts(
            RolloutPromptSettings prompts, RolloutSampling sampling, RewardSettings reward, EncoderSettings encoder) {}

    /** Returns the settings without the set's. */
    public Rollouts rollouts() {
        return new Rollouts(prompts, sampling, reward, encoder);
    }
}
