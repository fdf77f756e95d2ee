package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SamplerMismatchTest {
    private static final float[] SAMPLED = {-1, -2, -3};
    private static final float[] OLD = {-1, -1, -4};

    private static PolicyGradient.SamplerMismatch of(float[] old, @Nullable Double cap) {
        PolicyGradient.SamplerMismatch mismatch = PolicyGradient.SamplerMismatch.none();
        mismatch.add(SAMPLED, old, cap);
        return mismatch;
    }

    @Test
    void differencesAndTruncatedWeightsAreOfAllTokens() {
        PolicyGradient.SamplerMismatch both = of(OLD, 2.0).plus(of(SAMPLED, 2.0));

        assertThat(both.byName().keySet())
                .containsExactly(
                        "sampling/sampling_logp_difference/mean",
                        "sampling/sampling_logp_difference/max",
                        "sampling/importance_sampling_ratio/min",
                        "sampling/importance_sampling_ratio/mean",
                        "sampling/importance_sampling_ratio/max");
        assertThat(both.differences().getAverage()).isCloseTo(2 / 6.0, within(1e-12));
        assertThat(both.differences().getMax()).isEqualTo(1);
        assertThat(both.weights().getMin()).isCloseTo(Math.exp(-1), within(1e-12));
        assertThat(both.weights().getMax()).as("exp(1) is truncated").isEqualTo(2);
        assertThat(both.weights().getSum()).isCloseTo(1 + 2 + Math.exp(-1) + 3, within(1e-12));
    }

    @Test
    void withoutAMaximumNothingIsCorrected() {
        assertThat(of(OLD, null).weights().getSum()).isEqualTo(3);
        assertThat(PolicyGradient.SamplerMismatch.none().byName().values()).containsOnly(0.0);
    }
}
