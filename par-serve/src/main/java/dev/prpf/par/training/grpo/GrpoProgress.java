package dev.prpf.par.training.grpo;

import dev.prpf.par.training.PolicyEvaluation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a GRPO run; saved with each checkpoint.
 *
 * @param tokens sampled and trained on so far, with prompts
 * @param firstEntropy of the first step, in nats per token; null before it
 * @param firstReward mean reward of the first step; null before it
 * @param lastReward mean reward of the last step; null before the first
 * @param before evaluation of the start on the held-out prompts; null before it, or without prompts
 * @param best the evaluation with the highest reward; null before the first or without held-out prompts
 * @param last the newest evaluation; null before the first or without held-out prompts
 * @param alarms active now
 */
record GrpoProgress(
        long tokens,
        @Nullable Double firstEntropy,
        @Nullable Double firstReward,
        @Nullable Double lastReward,
        @Nullable PolicyEvaluation before,
        @Nullable Best best,
        @Nullable PolicyEvaluation last,
        List<String> alarms) {
    /**
     * The best policy on the held-out prompts.
     *
     * @param step of the policy; 0 is the start
     */
    record Best(long step, PolicyEvaluation evaluation) {}

    GrpoProgress {
        alarms = List.copyOf(alarms);
    }

    static GrpoProgress start() {
        return new GrpoProgress(0, null, null, null, null, null, null, List.of());
    }

    GrpoProgress after(long moreTokens, double reward, double entropy, List<String> ringing) {
        return new GrpoProgress(
                tokens + moreTokens,
                firstEntropy == null ? entropy : firstEntropy,
                firstReward == null ? reward : firstReward,
                reward,
                before,
                best,
                last,
                ringing);
    }

    /** Adds an evaluation after a step; the first is the start's, the one with the highest reward the best. */
    GrpoProgress evaluated(long step, PolicyEvaluation found) {
        boolean better = best == null || found.reward() > best.evaluation().reward();
        return new GrpoProgress(
                tokens,
                firstEntropy,
                firstReward,
                lastReward,
                before == null ? found : before,
                better ? new Best(step, found) : best,
                found,
                alarms);
    }
}
