package dev.prpf.par.training.grpo;

import dev.prpf.data.FunctionPool;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.rollout.GroupSampler;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.training.PolicyEvaluation;
import dev.prpf.par.training.Predictor;
import java.util.List;

/** Rollouts of a language model in this process, rewarded by rules. */
public final class SampledRollouts implements PolicyRollouts {
    private final Tokenizer tokenizer;
    private final GrpoSampling sampling;
    private final Predictor predictor;
    private final RewardSettings rewardSettings;
    private final FunctionPool pool;
    private final GroupSampler sampler;

    /**
     * @param tokenizer of the policy; stays the caller's
     * @param endTokens that end a response
     * @param pool that the rewards look parameters up in
     */
    public SampledRollouts(
            Tokenizer tokenizer,
            List<Integer> endTokens,
            GrpoSampling sampling,
            RewardSettings rewardSettings,
            FunctionPool pool) {
        this.tokenizer = tokenizer;
        this.sampling = sampling;
        this.rewardSettings = rewardSettings;
        this.pool = pool;
        StructuredReward reward = new StructuredReward(rewardSettings, pool);
        predictor = Predictor.greedy(
                tokenizer, reward, GenerationSettings.greedy(sampling.maxNewTokens(), endTokens, sampling.batchSize()));
        sampler = new GroupSampler(tokenizer, endTokens, reward, sampling.groupSize(), sampling.batchSize());
    }

    @Override
    public boolean stored() {
        return false;
    }

    @Override
    public GrpoSampling sampling() {
        return sampling;
    }

    @Override
    public List<RolloutGroup> sample(Decoder policy, List<PromptExample> prompts, long seed) {
        RolloutProvenance.Settings settings = new RolloutProvenance.Settings(
                sampling.temperature(), sampling.topK(), sampling.topP(), sampling.maxNewTokens(), false, seed);
        RolloutProvenance provenance =
                RolloutProvenance.of("in training", tokenizer.sha256(), rewardSettings, pool, settings);
        return sampler.sample(policy, provenance, prompts, () -> false);
    }

    @Override
    public PolicyEvaluation evaluate(Decoder policy, List<PromptExample> prompts) {
        return PolicyEvaluation.of(predictor.predict(policy, prompts));
    }
}
