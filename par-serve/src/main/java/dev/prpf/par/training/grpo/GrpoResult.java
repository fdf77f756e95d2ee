package dev.prpf.par.training.grpo;

import dev.prpf.par.training.PolicyEvaluation;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a GRPO run came to.
 *
 * @param model the Hugging Face directory written: the policy that {@link GrpoConfig#selection} keeps, without held-out prompts the last
 * @param steps optimizer steps in all
 * @param prompts trained on
 * @param tokens sampled and learned from, prompts among them
 * @param firstReward mean of the first step's rollouts
 * @param reward mean of the last step's rollouts
 * @param bestStep after which the model was taken; null without held-out prompts
 * @param devBefore the start on the held-out prompts, null without any
 * @param dev the kept model on them, null without any
 * @param seconds of this process's part
 */
public record GrpoResult(
        Path model,
        long steps,
        int prompts,
        long tokens,
        double firstReward,
        double reward,
        @Nullable Long bestStep,
        @Nullable PolicyEvaluation devBefore,
        @Nullable PolicyEvaluation dev,
        double seconds) {}
