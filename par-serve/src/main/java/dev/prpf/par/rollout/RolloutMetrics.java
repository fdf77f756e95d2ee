package dev.prpf.par.rollout;

import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.grpo.GroupAdvantages;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Metrics of a batch of rollouts, with TRL's names; {@code rewards/malformed/mean} is ours. */
public final class RolloutMetrics {
    private RolloutMetrics() {}

    /**
     * Returns rewards (mean and standard deviation over n - 1, also of each term), the share of groups with equal rewards, and lengths in
     * tokens. The share of malformed responses shows a policy that loses the grammar.
     *
     * @param groups at least one
     */
    public static Map<String, Double> byName(List<RolloutGroup> groups) {
        List<Rollout> rollouts =
                groups.stream().flatMap(group -> group.rollouts().stream()).toList();
        Map<String, Double> metrics = new LinkedHashMap<>();
        double[] rewards = values(rollouts, rollout -> rollout.reward().total());
        metrics.put("reward", mean(rewards));
        metrics.put("reward_std", GroupAdvantages.std(rewards, 1));
        long zeroVariance = groups.stream()
                .filter(group -> GroupAdvantages.hasZeroVariance(group.rewards()))
                .count();
        metrics.put("frac_reward_zero_std", (double) zeroVariance / groups.size());
        for (String term : rollouts.get(0).reward().terms().keySet()) {
            double[] values =
                    values(rollouts, rollout -> rollout.reward().terms().getOrDefault(term, 0.0));
            metrics.put("rewards/" + term + "/mean", mean(values));
            metrics.put("rewards/" + term + "/std", GroupAdvantages.std(values, 1));
        }
        metrics.put(
                "rewards/malformed/mean",
                mean(values(rollouts, rollout -> rollout.reward().outcome() == null ? 1 : 0)));
        lengths(metrics, "", rollouts);
        List<Rollout> ended = rollouts.stream()
                .filter(rollout -> rollout.finish() == FinishReason.END_TOKEN)
                .toList();
        metrics.put("completions/clipped_ratio", 1 - (double) ended.size() / rollouts.size());
        lengths(metrics, "terminated_", ended);
        return metrics;
    }

    /** Adds statistics of lengths; 0 without rollouts, like TRL. */
    private static void lengths(Map<String, Double> metrics, String which, List<Rollout> rollouts) {
        IntSummaryStatistics lengths =
                rollouts.stream().mapToInt(rollout -> rollout.ids().length).summaryStatistics();
        metrics.put("completions/mean_" + which + "length", lengths.getAverage());
        metrics.put("completions/min_" + which + "length", rollouts.isEmpty() ? 0.0 : lengths.getMin());
        metrics.put("completions/max_" + which + "length", rollouts.isEmpty() ? 0.0 : lengths.getMax());
    }

    private static double[] values(List<Rollout> rollouts, ToDoubleFunction<Rollout> value) {
        return rollouts.stream().mapToDouble(value).toArray();
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }
}
