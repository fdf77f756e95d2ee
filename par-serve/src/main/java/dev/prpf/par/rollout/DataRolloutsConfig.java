package dev.prpf.par.rollout;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.RolloutPromptSettings;

/**
 * {@code configs/data-rollouts*.yaml}. How prompts are written is the model's to say.
 *
 * @param prompts which are rolled out
 * @param sampling how responses are sampled
 * @param reward the reward's constants
 * @param set how the GRPO set is made of the groups
 * @param encoder of the perceiver ({@code --mpp}) and of what screens say; used by data that need it only
 */
public record DataRolloutsConfig(
        RolloutPromptSettings prompts,
        RolloutSampling sampling,
        RewardSettings reward,
        GrpoSetSettings set,
        EncoderSettings encoder) {
    /** What decides the rollouts: of the same ones a set can be made anew. */
    public record Rollouts(
            RolloutPromptSettings prompts, RolloutSampling sampling, RewardSettings reward, EncoderSettings encoder) {}

    /** All but the set. */
    public Rollouts rollouts() {
        return new Rollouts(prompts, sampling, reward, encoder);
    }
}
