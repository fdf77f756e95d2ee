package dev.prpf.par.rollout;

import static dev.prpf.base.config.Rule.require;

/**
 * The rules that select a GRPO set from rollout groups (PRPF A.4). The paper has no values for the TP-quality threshold and the weights; ours
 * are used.
 *
 * @param stdAbove groups with a larger standard deviation of rewards are retained (eq. 16)
 * @param correctFrom minimum retained correctness rate (eq. 16)
 * @param correctTo maximum retained correctness rate (eq. 16)
 * @param qualityAbove an intervention is correct iff its quality is above this
 * @param preferredStdAbove interventions with a larger standard deviation and a rate between the next two are preferred
 * @param preferredCorrectAbove exclusive lower bound lower bound
 * @param preferredCorrectBelow exclusive upper bound upper bound
 * @param weakArgumentsBelow a rollout with the right functions is argument-weak if R_args is below this
 * @param emphasisFrom a group is emphasised if at least this share of its rollouts is argument-weak or a false trigger
 * @param argumentWeakWeight weight of emphasised interventions; others have 1
 * @param falseTriggerWeight weight of emphasised silent groups; others have 1
 * @param size maximum number of records of the set
 * @param silentShare minimum share of silent records
 * @param repeats whether to repeat records if there are too few for size and silent share; otherwise the set is smaller
 * @param testShare held-out share of the records
 * @param seed of the draws
 */
public record GrpoSetSettings(
        double stdAbove,
        double correctFrom,
        double correctTo,
        double qualityAbove,
        double preferredStdAbove,
        double preferredCorrectAbove,
        double preferredCorrectBelow,
        double weakArgumentsBelow,
        double emphasisFrom,
        double argumentWeakWeight,
        double falseTriggerWeight,
        int size,
        double silentShare,
        boolean repeats,
        double testShare,
        long seed) {
    /** The settings with the paper's numbers. */
    public static final GrpoSetSettings PAPER =
            new GrpoSetSettings(0.1, 0.1, 0.9, 0.5, 0.3, 0.1, 0.7, 0.5, 0.25, 2, 2, 5000, 0.3, false, 0.05, 1);

    public GrpoSetSettings {
        require(stdAbove >= 0, "std-above", stdAbove, "at least 0");
        require(
                correctFrom >= 0 && correctFrom <= correctTo && correctTo <= 1,
                "correct-from",
                correctFrom,
                "in [0, correct-to = " + correctTo + "], and that at most 1");
        require(qualityAbove >= 0 && qualityAbove < 1, "quality-above", qualityAbove, "in [0, 1)");
        require(
                weakArgumentsBelow >= 0 && weakArgumentsBelow <= 1,
                "weak-arguments-below",
                weakArgumentsBelow,
                "in [0, 1]");
        require(emphasisFrom > 0 && emphasisFrom <= 1, "emphasis-from", emphasisFrom, "in (0, 1]");
        require(argumentWeakWeight > 0, "argument-weak-weight", argumentWeakWeight, "> 0");
        require(falseTriggerWeight > 0, "false-trigger-weight", falseTriggerWeight, "> 0");
        require(size > 0, "size", size, "at least 1");
        require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "in [0, 1]");
        require(testShare >= 0 && testShare <= 0.5, "test-share", testShare, "in [0, 0.5]");
    }

    /** Returns the maximum number of training records from a number of prompts. */
    public long trainRecords(long prompts) {
        long all = repeats ? size : Math.min(size, prompts);
        return all - Math.round(all * testShare);
    }
}
