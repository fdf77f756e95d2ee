package dev.prpf.par.rollout;

import static dev.prpf.base.config.Rule.require;

/**
 * How the GRPO set is made of rollout groups (PRPF A.4). The paper gives no number for the TP-quality threshold and the weights; those are
 * ours.
 *
 * @param stdAbove groups with a larger standard deviation of rewards are kept (eq. 16)
 * @param correctFrom least correctness rate kept (eq. 16)
 * @param correctTo largest correctness rate kept (eq. 16)
 * @param qualityAbove an intervention is correct iff its quality is more than this
 * @param preferredStdAbove interventions with a larger standard deviation, and a rate between the next two, are kept first
 * @param preferredCorrectAbove exclusive
 * @param preferredCorrectBelow exclusive
 * @param weakArgumentsBelow a rollout with the right functions is argument-weak if R_args is below this
 * @param emphasisFrom a group is emphasised if at least this share of its rollouts is argument-weak, or triggers falsely
 * @param argumentWeakWeight of emphasised interventions, against 1
 * @param falseTriggerWeight of emphasised silent groups, against 1
 * @param size records of the set, at most
 * @param silentShare of the set that is silent, at least
 * @param repeats whether records are repeated where there are too few for size and silent share; else the set is smaller
 * @param testShare of the records, held out
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
    /** The paper's numbers. */
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

    /** Returns the records to train on, at most, of this number of prompts. */
    public long trainRecords(long prompts) {
        long all = repeats ? size : Math.min(size, prompts);
        return all - Math.round(all * testShare);
    }
}
