package dev.prpf.par.training.grpo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SamplerMismatchTest {
    private static final float[] SAMPLED = {-1, -2, -3};
    private static final float[] OLD = {-1, -1, -4};

    @Test
    void differencesAndTruncatedWeightsAreOfAllTokens() {
        PolicyGradient.SamplerMismatch one = PolicyGradient.SamplerMismatch.of(SAMPLED, OLD, 2.0);
        PolicyGradient.SamplerMismatch both = one.plus(PolicyGradient.SamplerMismatch.of(SAMPLED, SAMPLED, 2.0));

        assertThat(both.byName().keySet())
                .containsExactly(
                        "sampling/sampling_logp_difference/mean",
                        "sampling/sampling_logp_difference/max",
                        "sampling/importance_sampling_ratio/min",
                        "sampling/importance_sampling_ratio/mean",
                        "sampling/importance_sampling_ratio/max");
        assertThat(both.sum() / both.tokens()).isCloseTo(2 / 6.0, within(1e-12));
        assertThat(both.max()).isEqualTo(1);
        assertThat(both.minWeight()).isCloseTo(Math.exp(-1), within(1e-12));
        assertThat(both.maxWeight()).as("exp(1) is truncated").isEqualTo(2);
        assertThat(both.weights()).isCloseTo(1 + 2 + Math.exp(-1) + 3, within(1e-12));
    }

    @Test
    void withoutAMaximumNothingIsCorrected() {
        assertThat(PolicyGradient.SamplerMismatch.of(SAMPLED, OLD, null).weights())
                .isEqualTo(3);
        assertThat(PolicyGradient.SamplerMismatch.NONE.byName().values()).containsOnly(0.0);
    }
}
