package dev.prpf.par.rollout;

import dev.prpf.par.grpo.GroupAdvantages;
import dev.prpf.par.reward.ConfusionOutcome;
import java.util.List;
import java.util.function.Predicate;

/**
 * The rollouts of one prompt.
 *
 * @param id of the sample
 * @param intervention whether some valid answer of the sample acts
 * @param provenance where the rollouts come from
 * @param promptIds the prompt's tokens, at least one
 * @param rollouts at least two: fewer have nothing to be compared with
 */
public record RolloutGroup(
        String id, boolean intervention, RolloutProvenance provenance, long[] promptIds, List<Rollout> rollouts) {
    public RolloutGroup {
        rollouts = List.copyOf(rollouts);
        if (id.isBlank()) {
            throw new IllegalArgumentException("id is blank");
        }
        if (promptIds.length == 0) {
            throw new IllegalArgumentException("prompt_ids is empty, a prompt has at least one token");
        }
        if (rollouts.size() < 2) {
            throw new IllegalArgumentException("rollouts = " + rollouts.size() + ", a group has at least 2");
        }
    }

    /** The rewards, in order. */
    public double[] rewards() {
        return rollouts.stream()
                .mapToDouble(rollout -> rollout.reward().total())
                .toArray();
    }

    /** What decides whether the group is trained on (PRPF eq. 16). */
    public GroupSummary summary(GrpoSetSettings settings) {
        return new GroupSummary(
                id,
                intervention,
                GroupAdvantages.std(rewards(), 1),
                share(rollout -> rollout.reward().correct(settings.qualityAbove())),
                share(rollout -> isArgumentWeak(rollout.reward(), settings)),
                share(rollout -> rollout.reward().outcome() == ConfusionOutcome.FP));
    }

    private static boolean isArgumentWeak(Rollout.Reward reward, GrpoSetSettings settings) {
        return reward.outcome() == ConfusionOutcome.TP
                && reward.functions() == 1
                && reward.arguments() < settings.weakArgumentsBelow();
    }

    private double share(Predicate<Rollout> holds) {
        return (double) rollouts.stream().filter(holds).count() / rollouts.size();
    }
}
