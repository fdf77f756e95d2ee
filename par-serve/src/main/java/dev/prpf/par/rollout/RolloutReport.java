package dev.prpf.par.rollout;

import dev.prpf.par.generate.FinishReason;
import java.util.LinkedHashMap;
import java.util.Map;
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

    /** Mean reward, the mean correctness rate in percent, counts; null for a mean over nothing. */
    public Map<String, @Nullable Object> figures() {
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        figures.put("groups", groups);
        figures.put("silent", silent);
        figures.put("responses", responses);
        figures.put("tokens", tokens);
        figures.put("reward", responses == 0 ? null : rewards / responses);
        figures.put("correct", groups == 0 ? null : PERCENT * correct / groups);
        figures.put("malformed", malformed);
        figures.put("clipped", clipped);
        return figures;
    }
}
