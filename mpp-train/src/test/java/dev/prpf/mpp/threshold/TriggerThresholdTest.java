package dev.prpf.mpp.threshold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TriggerThresholdTest {
    private static final boolean[] ACTS = {true, true, true, true, false, false, false, false};
    private static final double[] P = {0.9, 0.8, 0.7, 0.3, 0.75, 0.4, 0.2, 0.1};

    @Test
    void theMostSpecificThresholdThatKeepsTheRecall() {
        TriggerThreshold chosen = new ThresholdRule.MinRecall(75).choose(P, ACTS);
        assertThat(chosen.recall()).isEqualTo(75);
        assertThat(chosen.specificity()).isEqualTo(75);
        assertThat(chosen.threshold())
                .as("the largest of 0.41 to 0.70, the quietest gate")
                .isEqualTo(0.7);
        assertThat(chosen.curve()).hasSize(91);
        assertThat(chosen.constraint()).isEqualTo("recall >= 75");
    }

    @Test
    void theBoundaryItselfTriggers() {
        TriggerThreshold chosen = new ThresholdRule.Fixed(0.75).choose(P, ACTS);
        assertThat(chosen.recall()).isEqualTo(50);
        assertThat(chosen.specificity()).isEqualTo(75);
        assertThat(new Perception(0.75, Map.of()).triggers(chosen.threshold())).isTrue();
        assertThat(new Perception(0.7499, Map.of()).triggers(chosen.threshold()))
                .isFalse();
    }

    @Test
    void theMostRecallWithFewFalseTriggers() {
        TriggerThreshold chosen = new ThresholdRule.MaxFalseTriggers(25).choose(P, ACTS);
        assertThat(chosen.threshold()).isEqualTo(0.7);
        assertThat(new ThresholdRule.MaxFalseTriggers(0).choose(P, ACTS).threshold())
                .isEqualTo(0.8);
    }

    @Test
    void falseTriggerRateEqualToTheLimitIsAccepted() {
        double[] pTrigger = new double[126];
        boolean[] acts = new boolean[126];
        acts[0] = true;
        pTrigger[0] = 0.9;
        Arrays.fill(
                pTrigger, 1, 4, 0.95); // 3 of 125 silent ones are 2.4 percent, 100 - 97.6 in doubles is a little more
        TriggerThreshold chosen = new ThresholdRule.MaxFalseTriggers(2.4).choose(pTrigger, acts);
        assertThat(chosen.recall()).isEqualTo(100);
        assertThat(chosen.specificity()).isEqualTo(97.6);
    }

    @Test
    void noSatisfyingThresholdIsAFailedGate() {
        double[] low = {0.01, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1};
        assertThatThrownBy(() -> new ThresholdRule.MinRecall(90).choose(low, ACTS))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.GATE_FAILED))
                .hasMessageContaining("recall >= 90")
                .hasMessageContaining("recall 75.00");
    }

    @Test
    void singleClassIsBadData() {
        assertThatThrownBy(() -> new ThresholdRule.MinRecall(90).choose(new double[] {0.5}, new boolean[] {true}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA));
    }

    private static LabelledPerceptions made(Split split, int n, double silentP, double actingP) {
        List<LabelledPerception> samples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            boolean acts = i % 2 == 0;
            samples.add(new LabelledPerception(
                    "s" + i,
                    0,
                    acts ? actingP : silentP,
                    Map.of("A", 0.5),
                    List.of(acts ? Set.of("A") : Set.of()),
                    true));
        }
        return new LabelledPerceptions(split, samples);
    }

    @Test
    void controlledThresholdIsTheBestBoundedOneOnDev() {
        LabelledPerceptions dev = made(Split.DEV, 40, 0.1, 0.6);
        LabelledPerceptions kept = made(Split.CALIBRATION, 400, 0.3, 0.6);
        TriggerThreshold chosen =
                new LearnThenTest(Risk.FTR, 5, 90).choose(dev, () -> new LearnThenTest.Samples(kept, "abc"));
        assertThat(chosen.threshold())
                .as("the quietest that misses no acting dev sample")
                .isEqualTo(0.6);
        assertThat(chosen.recall()).isEqualTo(100);
        assertThat(chosen.curve()).hasSize(91);
        RiskControl control = Objects.requireNonNull(chosen.riskControl());
        assertThat(control.samples()).isEqualTo(200);
        assertThat(control.errors()).isZero();
        assertThat(control.grid()).isEqualTo(91);
        assertThat(control.upper()).isCloseTo(100 * (1 - Math.pow(0.1 / 91, 1 / 200.0)), within(1e-6));

        TriggerThreshold misses =
                new LearnThenTest(Risk.MISS, 5, 90).choose(dev, () -> new LearnThenTest.Samples(kept, "abc"));
        assertThat(misses.specificity()).isEqualTo(100);
        assertThat(misses.threshold()).isBetween(0.11, 0.60);
    }
}
