package dev.prpf.par.training.grpo;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.rollout.GroupIndex;
import dev.prpf.par.rollout.GrpoSetFiles;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.PolicyEvaluation;
import java.nio.file.Path;
import java.util.List;

/**
 * The groups of a GRPO set as {@code data rollouts} stored them: the policy is trained on responses of the model it starts from, whose
 * log-probabilities stand in the files, and says nothing itself but on held-out prompts.
 */
public final class StoredRollouts implements PolicyRollouts {
    private final GroupIndex groups;
    private final SampledRollouts evaluation;

    /**
     * @param set directory of the set
     * @param provenance of its groups
     * @param policySha256 of the model that training starts from
     * @param evaluation answers held-out prompts; its sampling is the configuration's
     * @throws InvalidConfigurationException if another model wrote them, or in another way than the configuration says
     */
    public static StoredRollouts of(
            Path set, RolloutProvenance provenance, String policySha256, SampledRollouts evaluation) {
        RolloutProvenance.Settings stored = provenance.sampling();
        GrpoSampling wanted = evaluation.sampling();
        require(provenance.policy().equals(policySha256), set, "policy", provenance.policy(), policySha256);
        require(!stored.constrained(), set, "constrained", stored.constrained(), false);
        require(
                stored.temperature() == wanted.temperature(),
                set,
                "temperature",
                stored.temperature(),
                wanted.temperature());
        require(
                stored.maxNewTokens() == wanted.maxNewTokens(),
                set,
                "max-new-tokens",
                stored.maxNewTokens(),
                wanted.maxNewTokens());
        return new StoredRollouts(GroupIndex.of(set.resolve(GrpoSetFiles.TRAIN), group -> {}), evaluation);
    }

    private StoredRollouts(GroupIndex groups, SampledRollouts evaluation) {
        this.groups = groups;
        this.evaluation = evaluation;
    }

    private static void require(boolean equal, Path set, String what, Object stored, Object wanted) {
        if (!equal) {
            throw new InvalidConfigurationException(set + ": its rollouts have " + what + " = " + stored
                    + ", this training has " + wanted + "; to train on stored log-probabilities both must be the same:"
                    + " roll out again with `prpf data rollouts`, or sample anew with --prompts");
        }
    }

    @Override
    public List<RolloutGroup> sample(Decoder policy, List<PromptExample> prompts, long seed) {
        return prompts.stream().map(prompt -> groups.read(prompt.id())).toList();
    }

    @Override
    public PolicyEvaluation evaluate(Decoder policy, List<PromptExample> prompts) {
        return evaluation.evaluate(policy, prompts);
    }

    @Override
    public boolean stored() {
        return true;
    }

    @Override
    public GrpoSampling sampling() {
        return evaluation.sampling();
    }
}
