package dev.prpf.par.rollout;

/**
 * What is known of a rollout group once its tokens are forgotten.
 *
 * @param id of the sample
 * @param intervention whether some valid answer of the sample acts
 * @param std of its rewards, over n - 1
 * @param correctRate CR of PRPF eq. 16, in [0, 1]
 * @param argumentWeak share of rollouts with the right functions and weak arguments, in [0, 1]
 * @param falseTriggers share of rollouts that act where silence is right, in [0, 1]
 */
public record GroupSummary(
        String id, boolean intervention, double std, double correctRate, double argumentWeak, double falseTriggers) {
    boolean silent() {
        return !intervention;
    }

    /** How often the group is drawn, against 1 for any other (PRPF A.4: weighted to emphasise). */
    double weight(GrpoSetSettings settings) {
        double emphasis = intervention ? settings.argumentWeakWeight() : settings.falseTriggerWeight();
        return emphasised(settings) ? emphasis : 1;
    }

    /** Whether enough of its rollouts are argument-weak, or trigger falsely. */
    boolean emphasised(GrpoSetSettings settings) {
        return (intervention ? argumentWeak : falseTriggers) >= settings.emphasisFrom();
    }

    /** Whether it lies in the high-variance disagreement region, whose interventions are kept first. */
    boolean preferred(GrpoSetSettings settings) {
        return intervention
                && std > settings.preferredStdAbove()
                && correctRate > settings.preferredCorrectAbove()
                && correctRate < settings.preferredCorrectBelow();
    }
}
