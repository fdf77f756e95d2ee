package dev.prpf.par.rollout;

import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.rollout.RolloutGroup.GroupSummary;
import java.util.DoubleSummaryStatistics;

/** Counts statistics over a file of rollouts, group by group. */
public final class RolloutReport {
    private static final double PERCENT = 100;

    private final DoubleSummaryStatistics correct = new DoubleSummaryStatistics();
    private final DoubleSummaryStatistics rewards = new DoubleSummaryStatistics();
    private int silent;
    private long tokens;
    private int malformed;
    private int clipped;

    void add(RolloutGroup group, GroupSummary summary) {
        silent += group.intervention() ? 0 : 1;
        correct.accept(summary.correctRate());
        for (Rollout rollout : group.rollouts()) {
            tokens += rollout.ids().length;
            malformed += rollout.reward().outcome() == null ? 1 : 0;
            clipped += rollout.finish() == FinishReason.LENGTH ? 1 : 0;
            rewards.accept(rollout.reward().total());
        }
    }

    /**
     * The counts over all groups.
     *
     * @param reward mean reward reward
     * @param correct mean correctness rate in percent
     */
    public record Counts(
            int groups,
            int silent,
            int responses,
            long tokens,
            double reward,
            double correct,
            int malformed,
            int clipped) {}

    public Counts counts() {
        return new Counts(
                (int) correct.getCount(),
                silent,
                (int) rewards.getCount(),
                tokens,
                rewards.getAverage(),
                PERCENT * correct.getAverage(),
                malformed,
                clipped);
    }
}
