package dev.prpf.par.rollout;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.base.files.RecordLines;
import dev.prpf.par.grpo.GroupAdvantages;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All rollouts of one prompt.
 *
 * @param id of the sample
 * @param intervention whether a valid answer of the sample acts
 * @param promptIds the prompt's tokens, at least one
 * @param rollouts at least two, to compare
 */
public record RolloutGroup(
        String id, boolean intervention, RolloutProvenance provenance, long[] promptIds, List<Rollout> rollouts) {
    static final RecordLines<RolloutGroup> LINES = new RecordLines<>(RolloutGroup.class, "rollout group");

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

    /**
     * Reads a file of groups, which may be larger than memory.
     *
     * @param each receives every group once
     * @throws PrpfException 65 for an invalid line, a duplicate id, or groups of several provenances
     */
    public static IndexedRecords<RolloutGroup> index(Path file, Consumer<RolloutGroup> each) {
        AtomicReference<@Nullable RolloutProvenance> first = new AtomicReference<>();
        return new IndexedRecords<>(file, "a prompt has one group", LINES, (place, group) -> {
            first.set(group.provenance().requireSame(first.get(), place, "rollouts of one file have"));
            each.accept(group);
            return group.id();
        });
    }

    /** Reads the groups of a set's file, in which the copies of a repeated group have one id. */
    public static IndexedRecords<RolloutGroup> indexSet(Path file) {
        Set<String> ids = new HashSet<>();
        return new IndexedRecords<>(
                file, "a set has groups", LINES, (place, group) -> ids.add(group.id()) ? group.id() : null);
    }

    public double[] rewards() {
        return rollouts.stream()
                .mapToDouble(rollout -> rollout.reward().total())
                .toArray();
    }

    /** Returns the statistics that decide whether the group is retained (PRPF eq. 16). */
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

    /**
     * The statistics of a rollout group, without its tokens.
     *
     * @param intervention whether a valid answer of the sample acts
     * @param std of its rewards, over n - 1
     * @param correctRate CR of PRPF eq. 16, in [0, 1]
     * @param argumentWeak share of rollouts with the right functions and weak arguments, in [0, 1]
     * @param falseTriggers share of rollouts that act although silence is right, in [0, 1]
     */
    record GroupSummary(
            String id,
            boolean intervention,
            double std,
            double correctRate,
            double argumentWeak,
            double falseTriggers) {
        boolean silent() {
            return !intervention;
        }

        /** Returns the sampling weight of the group, 1 without emphasis (PRPF A.4). */
        double weight(GrpoSetSettings settings) {
            double emphasis = intervention ? settings.argumentWeakWeight() : settings.falseTriggerWeight();
            return emphasised(settings) ? emphasis : 1;
        }

        /** Returns whether enough of its rollouts are argument-weak or false triggers. */
        boolean emphasised(GrpoSetSettings settings) {
            return (intervention ? argumentWeak : falseTriggers) >= settings.emphasisFrom();
        }

        /** Returns whether the group is in the preferred high-variance disagreement region. */
        boolean preferred(GrpoSetSettings settings) {
            return intervention
                    && std > settings.preferredStdAbove()
                    && correctRate > settings.preferredCorrectAbove()
                    && correctRate < settings.preferredCorrectBelow();
        }
    }
}
