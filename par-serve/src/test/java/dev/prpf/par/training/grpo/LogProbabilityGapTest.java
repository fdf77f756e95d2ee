package dev.prpf.par.training.grpo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogProbabilityGapTest {
    /** A map of the JDK's own order would give every process another line of metrics. */
    @Test
    void theFiguresComeInOneOrder() {
        assertThat(new LogProbabilityGap(3, 2, 6).byName().entrySet().stream().map(Object::toString))
                .containsExactly(
                        "sampling/sampling_logp_difference/mean=0.5", "sampling/sampling_logp_difference/max=2.0");
    }

    @Test
    void partsAddUpAndNoTokensAreNoGap() {
        LogProbabilityGap sum = new LogProbabilityGap(1, 0.75, 2).plus(new LogProbabilityGap(2, 0.5, 4));

        assertThat(sum).isEqualTo(new LogProbabilityGap(3, 0.75, 6));
        assertThat(LogProbabilityGap.NONE.byName().values()).containsOnly(0.0);
    }
}
