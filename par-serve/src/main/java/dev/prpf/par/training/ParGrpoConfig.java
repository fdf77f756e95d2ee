package dev.prpf.par.training;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.rollout.RolloutSampling;
import dev.prpf.par.sets.PromptExamples.RolloutPromptSettings;

/**
 * The configuration file {@code configs/reasoner-grpo*.yaml}. The form of prompts belongs to the model, in its {@code prpf.json}.
 *
 * @param prompts selection of the prompts, if they are rendered from samples
 * @param reward of the responses
 * @param encoder of the perceiver ({@code --gate}) and of texts on screens; only for data that need it
 * @param training settings of the loop
 */
@Defaults("/configs/reasoner-grpo.yaml")
public record ParGrpoConfig(
        RolloutPromptSettings prompts,
        RewardSettings reward,
        EncoderSettings encoder,
        GrpoSampling rollouts,
        GrpoConfig training) {

    /**
     * The sampling of responses in GRPO; the {@code rollouts:} section of {@code configs/reasoner-grpo*.yaml}. Responses are never constrained: the gradient
     * would need the allowed tokens at every position.
     *
     * @param groupSize N, responses per prompt
     * @param temperature divides the logits, in sampling and in the gradient
     * @param topK keeps the k likeliest tokens; 0 for all
     * @param topP keeps the likeliest tokens up to this mass, in (0, 1]
     * @param maxNewTokens maximum tokens of a response
     * @param batchSize responses generated together
     */
    public record GrpoSampling(
            int groupSize, double temperature, int topK, double topP, int maxNewTokens, int batchSize) {
        public GrpoSampling {
            RolloutSampling.requireGroups(groupSize, batchSize);
            RolloutSampling.requireDraws(temperature, topK, topP, maxNewTokens, '-');
        }

        /** Returns the sampling settings that rollouts record. */
        RolloutProvenance.Settings settings(long seed) {
            return new RolloutProvenance.Settings(temperature, topK, topP, maxNewTokens, false, seed);
        }
    }
}
