package dev.prpf.par.rollout;

import dev.prpf.par.generate.FinishReason;
import org.jspecify.annotations.Nullable;

/** Counts over a file of rollouts, a group at a time. */
public final class RolloutReport {
    private static final double PERCENT = 100;

    private int groups;
    private int silent;
    private int responses;
    private long tokens;
    private int malformed;
    private int clipped;
    private double rewards;
    private double correct;

    void add(RolloutGroup group, GroupSummary summary) {
        groups++;
        silent += group.intervention() ? 0 : 1;
        correct += summary.correctRate();
        for (Rollout rollout : group.rollouts()) {
            responses++;
            tokens += rollout.ids().length;
            malformed += rollout.reward().outcome() == null ? 1 : 0;
            clipped += rollout.finish() == FinishReason.LENGTH ? 1 : 0;
            rewards += rollout.reward().total();
        }
    }

    /**
     * The counts.
     *
     * @param reward mean; null of no response
     * @param correct mean correctness rate in percent; null of no group
     */
    public record Counts(
            int groups,
            int silent,
            int responses,
            long tokens,
            @Nullable Double reward,
            @Nullable Double correct,
            int malformed,
            int clipped) {}

    public Counts counts() {
        Double reward = responses == 0 ? null : (Double) (rewards / responses);
        Double rate = groups == 0 ? null : (Double) (PERCENT * correct / groups);
        return new Counts(groups, silent, responses, tokens, reward, rate, malformed, clipped);
    }
}
