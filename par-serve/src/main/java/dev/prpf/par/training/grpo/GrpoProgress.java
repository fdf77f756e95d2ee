package dev.prpf.par.training.grpo;

import dev.prpf.par.training.PolicyEvaluation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a GRPO run stands; saved with each checkpoint.
 *
 * @param tokens sampled and learned from so far, prompts among them
 * @param firstEntropy of the first step, in nats a token; null before it
 * @param firstReward mean of the first step; null before it
 * @param lastReward mean of the last step; null before the first
 * @param before the start on the held-out prompts; null before, or without any
 * @param best the evaluation with the highest reward; null before the first or without held-out prompts
 * @param last the newest evaluation; null likewise
 * @param alarms that ring now
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
     * @param step after which it was taken; 0 is the start
     * @param evaluation of it
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

    /** Knows of an evaluation after a step; the first is the start's, the one with the highest reward the best. */
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
