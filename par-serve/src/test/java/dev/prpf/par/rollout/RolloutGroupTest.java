package dev.prpf.par.rollout;

import static dev.prpf.par.rollout.Rollouts.falseTrigger;
import static dev.prpf.par.rollout.Rollouts.group;
import static dev.prpf.par.rollout.Rollouts.intervention;
import static dev.prpf.par.rollout.Rollouts.malformed;
import static dev.prpf.par.rollout.Rollouts.missed;
import static dev.prpf.par.rollout.Rollouts.silence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import dev.prpf.par.rollout.RolloutGroup.GroupSummary;
import java.util.List;
import org.junit.jupiter.api.Test;

class RolloutGroupTest {
    private static final GrpoSetSettings PAPER = GrpoSetSettings.PAPER;

    /** Rewards 8.5, -1.5, 0, 8.5: mean 3.875, squares 21.390625 twice, 28.890625 and 15.015625, their sum 86.6875 over 3. */
    @Test
    void aSilentGroup() {
        GroupSummary summary = group("s", false, silence(), falseTrigger(), malformed(), silence())
                .summary(PAPER);
        assertThat(summary.std()).isCloseTo(Math.sqrt(86.6875 / 3), within(1e-12));
        assertThat(summary.correctRate()).as("parsed and empty").isEqualTo(0.5);
        assertThat(summary.falseTriggers()).isEqualTo(0.25);
        assertThat(summary.argumentWeak()).isZero();
        assertThat(summary.intervention()).isFalse();
        assertThat(summary.weight(PAPER)).isEqualTo(2);
    }

    /** Quality (3 F + 2.5 A) / 5.5: 1, 0.568 (> 0.5), 0.545 (> 0.5), 0.273; a missed one is never correct. */
    @Test
    void anInterventionIsCorrectByItsQuality() {
        GroupSummary summary = group(
                        "a",
                        true,
                        intervention(1, 1),
                        intervention(0.625, 0.5),
                        intervention(1, 0),
                        intervention(0.5, 0),
                        missed())
                .summary(PAPER);
        assertThat(summary.correctRate()).isEqualTo(0.6);
        assertThat(summary.argumentWeak()).as("right functions, weak arguments").isEqualTo(0.2);
        assertThat(summary.weight(PAPER)).as("one in five is below a quarter").isEqualTo(1);
        assertThat(group("a", true, intervention(1, 0.4), missed())
                        .summary(PAPER)
                        .weight(PAPER))
                .isEqualTo(2);
    }

    @Test
    void theThresholdIsExclusive() {
        GrpoSetSettings settings = new GrpoSetSettings(0, 0, 1, 0.5, 0.3, 0.1, 0.7, 0.5, 0.25, 2, 2, 1, 0, false, 0, 1);
        assertThat(group("a", true, intervention(0.5, 0.5), missed())
                        .summary(settings)
                        .correctRate())
                .isZero();
    }

    @Test
    void disagreementRegionIsPreferred() {
        assertThat(Rollouts.summary("a", true, 0.31, 0.5).preferred(PAPER)).isTrue();
        assertThat(Rollouts.summary("a", true, 0.3, 0.5).preferred(PAPER)).isFalse();
        assertThat(Rollouts.summary("a", true, 0.31, 0.1).preferred(PAPER)).isFalse();
        assertThat(Rollouts.summary("a", true, 0.31, 0.7).preferred(PAPER)).isFalse();
        assertThat(Rollouts.summary("a", false, 0.31, 0.5).preferred(PAPER))
                .as("of interventions only")
                .isFalse();
    }

    @Test
    void invalidGroupsAreRejected() {
        assertThatThrownBy(() -> group("s", false)).hasMessage("rollouts = 0, a group has at least 2");
        assertThatThrownBy(() -> group("s", false, silence())).hasMessage("rollouts = 1, a group has at least 2");
        assertThatThrownBy(() -> group(" ", false, silence(), silence())).hasMessage("id is blank");
        assertThatThrownBy(() ->
                        new RolloutGroup("s", false, Rollouts.PROVENANCE, new long[0], List.of(silence(), silence())))
                .hasMessageContaining("prompt_ids is empty");
    }

    @Test
    void invalidRolloutsAreRejected() {
        Rollout.Reward reward = silence().reward();
        assertThatThrownBy(() -> rollout(new long[] {1, 2}, new float[] {-1}, reward))
                .hasMessageContaining("2 tokens and 1 log-probabilities");
        assertThatThrownBy(() -> rollout(new long[0], new float[0], reward)).hasMessageContaining("at least one token");
        assertThatThrownBy(() -> rollout(new long[] {1}, new float[] {Float.NaN}, reward))
                .hasMessage("log-probability NaN must be finite and at most 0");
        assertThatThrownBy(() -> rollout(new long[] {1}, new float[] {0.5f}, reward))
                .hasMessageContaining("0.5");
        assertThatThrownBy(() -> new Rollout.Reward(3, Terms.of(1, 0, 0, 0, 0, 0, 0, 0), null, 0, 0, 0))
                .hasMessage("total = 3.0 must be the sum of its terms, 1.0");
    }

    private static Rollout rollout(long[] ids, float[] logprobs, Rollout.Reward reward) {
        return new Rollout(ids, logprobs, FinishReason.LENGTH, "", reward);
    }
}
