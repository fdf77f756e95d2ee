package dev.prpf.par.training;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.data.FunctionPool;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.rollout.GroupSampler;
import dev.prpf.par.rollout.GrpoSetFiles;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.GrpoTraining.PolicyRollouts;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Generates and rewards rollouts with a model in this process, or reads the stored groups of a GRPO set from {@code data rollout-set}. */
public final class LocalRollouts implements PolicyRollouts {
    private final GrpoSampling sampling;
    private final Predictor predictor;
    private final RolloutProvenance provenance;
    private final GroupSampler sampler;
    private @Nullable IndexedRecords<RolloutGroup> groups;

    /**
     * @param chat tokenizer of the policy, with its vision encoder; the caller closes it
     * @param endTokens that end a response
     * @param pool of the parameters that rewards need
     */
    public LocalRollouts(
            ChatTokenizer chat,
            List<Integer> endTokens,
            GrpoSampling sampling,
            RewardSettings rewardSettings,
            FunctionPool pool) {
        this.sampling = sampling;
        StructuredReward reward = new StructuredReward(rewardSettings, pool);
        predictor = Predictor.greedy(
                chat,
                reward,
                GenerationSettings.greedy(sampling.maxNewTokens(), endTokens, sampling.batchSize())
                        .withoutLogprobs());
        sampler = new GroupSampler(chat, endTokens, reward, sampling.groupSize(), sampling.batchSize());
        provenance = RolloutProvenance.of(
                "in training", chat.tokenizer().sha256(), rewardSettings, pool, sampling.settings(0));
    }

    /**
     * Uses the groups of a set from now on. The policy is trained on responses of the model before the training, with the log-probabilities in the
     * files. It generates only predictions for held-out prompts.
     *
     * @param set directory of the set
     * @param stored provenance of its groups
     * @param policySha256 of the model before the training
     * @throws InvalidConfigurationException if another model sampled them, or with other settings
     */
    public LocalRollouts useStored(Path set, RolloutProvenance stored, String policySha256) {
        RolloutProvenance.Settings settings = stored.sampling();
        requireEqual(set, "policy", stored.policy(), policySha256);
        requireEqual(set, "constrained", settings.constrained(), false);
        requireEqual(set, "temperature", settings.temperature(), sampling.temperature());
        requireEqual(set, "max-new-tokens", settings.maxNewTokens(), sampling.maxNewTokens());
        groups = RolloutGroup.indexSet(set.resolve(GrpoSetFiles.TRAIN));
        return this;
    }

    private static void requireEqual(Path set, String what, Object stored, Object wanted) {
        if (!stored.equals(wanted)) {
            throw new InvalidConfigurationException(set + ": its rollouts have " + what + " = " + stored
                    + ", this training has " + wanted + "; to train on stored log-probabilities both must be the same:"
                    + " roll out again with `prpf data rollout-set`, or sample new ones with --prompts");
        }
    }

    @Override
    public boolean stored() {
        return groups != null;
    }

    @Override
    public GrpoSampling sampling() {
        return sampling;
    }

    @Override
    public List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed) {
        IndexedRecords<RolloutGroup> known = groups;
        return known == null
                ? sampler.sample(policy, provenance.with(sampling.settings(seed)), prompts, () -> false)
                : prompts.stream()
                        .map(prompt -> Objects.requireNonNull(known.get(prompt.id()), prompt.id()))
                        .toList();
    }

    @Override
    public PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts) {
        return PolicyEvaluation.of(predictor.predict(policy, prompts));
    }

    @Override
    public void close() {
        if (groups != null) {
            groups.close();
        }
    }
}
