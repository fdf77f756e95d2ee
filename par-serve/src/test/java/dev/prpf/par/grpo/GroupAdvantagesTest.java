package dev.prpf.par.grpo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.grpo.GrpoSettings.AdvantageSettings.Scale;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class GroupAdvantagesTest {
    private static final double[] REWARDS = {1, 0, 0.5, 1};
    private static final Offset<Double> CLOSE = within(1e-6);

    private static double[] of(Scale scale, double epsilon, double... rewards) {
        return GroupAdvantages.of(rewards, new GrpoSettings.AdvantageSettings(scale, epsilon));
    }

    /** Mean 0.625, std over n - 1 0.478714: what TRL 1.9 and ms-swift 4.5 make of these rewards. */
    @Test
    void asTrlDividesThem() {
        assertThat(of(Scale.SAMPLE_STD, 1e-4, REWARDS))
                .containsExactly(new double[] {0.783186, -1.305310, -0.261062, 0.783186}, CLOSE);
    }

    /** Uses the epsilon of verl 0.9 and slime, 1e-6. */
    @Test
    void asVerlDividesThem() {
        assertThat(of(Scale.SAMPLE_STD, 1e-6, REWARDS))
                .containsExactly(new double[] {0.783348, -1.305580, -0.261116, 0.783348}, CLOSE);
    }

    /** Squares 0.140625, 0.390625, 0.015625, 0.140625: their mean 0.171875, its root 0.4145781. */
    @Test
    void overN() {
        double std = Math.sqrt(0.171875);
        assertThat(of(Scale.POPULATION_STD, 0, REWARDS))
                .containsExactly(new double[] {0.375 / std, -0.625 / std, -0.125 / std, 0.375 / std}, CLOSE);
    }

    @Test
    void withoutADeviation() {
        assertThat(of(Scale.NONE, 0, REWARDS)).containsExactly(new double[] {0.375, -0.625, -0.125, 0.375}, CLOSE);
    }

    @Test
    void aFlatGroupTeachesNothing() {
        for (Scale scale : Scale.values()) {
            assertThat(of(scale, 0, 0.1, 0.1, 0.1)).containsOnly(0);
            assertThat(of(scale, 0, 8.2)).containsOnly(0);
        }
    }

    @Test
    void deviations() {
        assertThat(GroupAdvantages.std(REWARDS, 1)).isCloseTo(0.478714, CLOSE);
        assertThat(GroupAdvantages.std(new double[] {3}, 1)).isZero();
        assertThat(GroupAdvantages.hasZeroVariance(new double[] {3, 3})).isTrue();
        assertThat(GroupAdvantages.hasZeroVariance(REWARDS)).isFalse();
    }

    @Test
    void whatIsNoRewardIsRefused() {
        assertThatThrownBy(() -> of(Scale.NONE, 0, 1, Double.NaN)).hasMessageContaining("[1.0, NaN], must be finite");
        assertThatThrownBy(() -> of(Scale.NONE, 0)).hasMessageContaining("at least one");
        assertThatThrownBy(() -> new GrpoSettings.AdvantageSettings(Scale.NONE, -1))
                .hasMessage("epsilon = -1.0 must be in [0, 1)");
    }
}
