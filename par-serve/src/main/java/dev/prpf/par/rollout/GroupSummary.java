package dev.prpf.par.rollout;

/**
 * The statistics of a rollout group, without its tokens.
 *
 * @param id of the sample
 * @param intervention whether a valid answer of the sample acts
 * @param std of its rewards, over n - 1
 * @param correctRate CR of PRPF eq. 16, in [0, 1]
 * @param argumentWeak share of rollouts with the right functions and weak arguments, in [0, 1]
 * @param falseTriggers share of rollouts that act although silence is right, in [0, 1]
 */
record GroupSummary(
        String id, boolean intervention, double std, double correctRate, double argumentWeak, double falseTriggers) {
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
