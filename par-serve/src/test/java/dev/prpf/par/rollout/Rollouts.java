package dev.prpf.par.rollout;

import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.RolloutGroup.GroupSummary;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Small rollouts for the tests. */
public final class Rollouts {
    static final RolloutProvenance PROVENANCE =
            new RolloutProvenance("w", "p", "r", "q", new RolloutProvenance.Settings(1, 0, 1, 64, false, 7));

    private Rollouts() {}

    /** A right silence, 8.5. */
    public static Rollout silence() {
        return rollout(ConfusionOutcome.TN, Terms.of(2, 0, 0, 0.5, 6, 0, 0, 0), 0, 0);
    }

    /** A false trigger, -1.5. */
    static Rollout falseTrigger() {
        return rollout(ConfusionOutcome.FP, Terms.of(0, 0, 0, 0.5, 0, -2, 0, 0), 0, 0);
    }

    /** A missed intervention, 0.5. */
    public static Rollout missed() {
        return rollout(ConfusionOutcome.FN, Terms.of(0, 0, 0, 0.5, 0, 0, 0, 0), 0, 0);
    }

    /** An intervention with these shares of functions and arguments. */
    static Rollout intervention(double functions, double arguments) {
        return rollout(
                ConfusionOutcome.TP,
                Terms.of(2, 3 * functions, 2.5 * arguments, 0.5, 0, 0, 0, 0),
                functions,
                arguments);
    }

    /** A malformed response, 0. */
    static Rollout malformed() {
        return rollout(null, Terms.of(0, 0, 0, 0, 0, 0, 0, 0), 0, 0);
    }

    private static Rollout rollout(
            @Nullable ConfusionOutcome quadrant, Map<String, Double> terms, double functions, double arguments) {
        double quality = (3 * functions + 2.5 * arguments) / 5.5;
        return new Rollout(
                new long[] {5, 9, 2},
                new float[] {-0.25f, -1e-7f, 0},
                FinishReason.END_TOKEN,
                "无推荐",
                new Rollout.Reward(RewardBreakdown.total(terms), terms, quadrant, functions, arguments, quality));
    }

    static RolloutGroup group(String id, boolean intervention, Rollout... rollouts) {
        return new RolloutGroup(id, intervention, PROVENANCE, new long[] {1, 2}, Arrays.asList(rollouts));
    }

    static GroupSummary summary(String id, boolean intervention, double std, double correctRate) {
        return new GroupSummary(id, intervention, std, correctRate, 0, 0);
    }

    /** Makes summaries that eq. 16 keeps, with ids of this prefix. */
    static List<GroupSummary> kept(String prefix, boolean intervention, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> summary(prefix + i, intervention, 0.2, 0.5))
                .toList();
    }
}
