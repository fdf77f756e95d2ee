package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.training.Training.LearningRate;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import org.junit.jupiter.api.Test;

class LearningRateTest {
    private final LearningRate rate = LearningRate.of(LrSchedulerType.COSINE, 1e-3, 0.1, 100);

    @Test
    void risesInAStraightLineToThePeak() {
        assertThat(rate.at(1)).isCloseTo(1e-4, within(1e-12));
        assertThat(rate.at(5)).isCloseTo(5e-4, within(1e-12));
        assertThat(rate.at(10)).isCloseTo(1e-3, within(1e-12));
    }

    @Test
    void fallsAsHalfACosine() {
        assertThat(rate.at(11)).isCloseTo(1e-3, within(1e-12));
        assertThat(rate.at(56)).isCloseTo(5e-4, within(1e-9));
        assertThat(rate.at(100)).isBetween(0.0, 1e-6);
    }

    @Test
    void needsNoWarmUp() {
        assertThat(LearningRate.of(LrSchedulerType.COSINE, 1e-3, 0, 10).at(1)).isCloseTo(1e-3, within(1e-12));
    }

    @Test
    void staysOrFallsAlongALineWhereAskedFor() {
        LearningRate constant = LearningRate.of(LrSchedulerType.CONSTANT, 1e-3, 0.1, 100);
        assertThat(constant.at(5)).isCloseTo(5e-4, within(1e-12));
        assertThat(constant.at(100)).isCloseTo(1e-3, within(1e-12));
        LearningRate linear = LearningRate.of(LrSchedulerType.LINEAR, 1e-3, 0.1, 100);
        assertThat(linear.at(11)).isCloseTo(1e-3, within(1e-12));
        assertThat(linear.at(56)).isCloseTo(5e-4, within(1e-12));
        assertThat(linear.at(100)).isCloseTo(1e-3 / 90, within(1e-12));
    }
}
