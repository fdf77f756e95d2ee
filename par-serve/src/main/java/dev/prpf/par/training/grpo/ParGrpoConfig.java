package dev.prpf.par.training.grpo;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.RolloutPromptSettings;

/**
 * The configuration file {@code configs/reasoner-grpo*.yaml}. The form of prompts belongs to the model, in its {@code prpf.json}.
 *
 * @param prompts selection of the prompts, if they are rendered from samples
 * @param reward of the responses
 * @param encoder of the perceiver ({@code --gate}) and of texts on screens; only for data that need it
 * @param rollouts settings of sampling
 * @param training settings of the loop
 */
@Defaults("/configs/reasoner-grpo.yaml")
public record ParGrpoConfig(
        RolloutPromptSettings prompts,
        RewardSettings reward,
        EncoderSettings encoder,
        GrpoSampling rollouts,
        GrpoConfig training) {}
