package dev.prpf.par.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.rollout.RolloutRun.RolloutMetrics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RolloutMetricsTest {
    private static final Offset<Double> CLOSE = within(1e-12);

    private static Rollout ofLength(int tokens, FinishReason finish) {
        return new Rollout(
                new long[tokens],
                new float[tokens],
                finish,
                "",
                Rollouts.missed().reward());
    }

    private static double get(Map<String, Double> metrics, String name) {
        return Objects.requireNonNull(metrics.get(name), name);
    }

    /** Rewards 8.5, -1.5 | 0.5, 0.5: mean 2, squares 42.25, 12.25, 2.25, 2.25, their sum 59 over 3; the second group is flat. */
    @Test
    void rewards() {
        Map<String, Double> metrics = RolloutMetrics.byName(List.of(
                Rollouts.group("s", false, Rollouts.silence(), Rollouts.falseTrigger()),
                Rollouts.group("a", true, Rollouts.missed(), Rollouts.missed())));
        assertThat(get(metrics, "reward")).isCloseTo(2, CLOSE);
        assertThat(get(metrics, "reward_std")).isCloseTo(Math.sqrt(59 / 3.0), CLOSE);
        assertThat(get(metrics, "frac_reward_zero_std")).isEqualTo(0.5);
        assertThat(get(metrics, "rewards/tn/mean")).isEqualTo(1.5);
        assertThat(get(metrics, "rewards/tn/std")).as("6, 0, 0, 0").isCloseTo(3, CLOSE);
        assertThat(get(metrics, "rewards/schema/std")).isZero();
        assertThat(get(metrics, "rewards/fp/mean")).isEqualTo(-0.5);
        assertThat(get(metrics, "rewards/malformed/mean")).isZero();
    }

    @Test
    void theTermsMeansAddUpToTheReward() {
        Map<String, Double> metrics = RolloutMetrics.byName(List.of(
                Rollouts.group("a", true, Rollouts.intervention(1, 0.5), Rollouts.malformed(), Rollouts.missed())));
        double sum = 0;
        for (String term : List.of("trig", "func", "args", "schema", "tn", "fp", "cov", "over")) {
            sum += get(metrics, "rewards/" + term + "/mean");
        }
        assertThat(sum).isCloseTo(get(metrics, "reward"), CLOSE);
        assertThat(get(metrics, "rewards/malformed/mean")).isCloseTo(1 / 3.0, CLOSE);
    }

    @Test
    void lengths() {
        Map<String, Double> metrics = RolloutMetrics.byName(List.of(Rollouts.group(
                "a",
                true,
                ofLength(4, FinishReason.END_TOKEN),
                ofLength(6, FinishReason.END_TOKEN),
                ofLength(20, FinishReason.LENGTH))));
        assertThat(metrics)
                .containsEntry("completions/mean_length", 10.0)
                .containsEntry("completions/min_length", 4.0)
                .containsEntry("completions/max_length", 20.0)
                .containsEntry("completions/mean_terminated_length", 5.0)
                .containsEntry("completions/max_terminated_length", 6.0);
        assertThat(get(metrics, "completions/clipped_ratio")).isCloseTo(1 / 3.0, CLOSE);
    }

    @Test
    void terminatedLengthsAreZeroWithoutEndsAsInTrl() {
        Map<String, Double> metrics = RolloutMetrics.byName(
                List.of(Rollouts.group("a", true, ofLength(4, FinishReason.LENGTH), ofLength(6, FinishReason.LENGTH))));
        assertThat(metrics)
                .containsEntry("completions/clipped_ratio", 1.0)
                .containsEntry("completions/mean_terminated_length", 0.0);
    }
}
