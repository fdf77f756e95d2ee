package dev.prpf.par.training.grpo;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.RolloutPromptSettings;

/**
 * {@code configs/par-grpo*.yaml}. How prompts are written is the model's own business: its {@code prpf.json} says it.
 *
 * @param prompts which are trained on, where they are made of samples
 * @param reward of the responses
 * @param encoder of the perceiver ({@code --mpp}) and of what screens say; used by data that need it only
 * @param rollouts how responses are sampled
 * @param training the loop
 */
public record ParGrpoConfig(
        RolloutPromptSettings prompts,
        RewardSettings reward,
        EncoderSettings encoder,
        GrpoSampling rollouts,
        GrpoConfig training) {}
