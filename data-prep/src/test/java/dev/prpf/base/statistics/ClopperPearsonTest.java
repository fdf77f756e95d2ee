package dev.prpf.base.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.math3.distribution.BinomialDistribution;
import org.junit.jupiter.api.Test;

class ClopperPearsonTest {
    @Test
    void theTextbooksInterval() {
        Interval interval = ClopperPearson.interval(10, 100, 95);
        assertThat(interval.low()).isCloseTo(4.9005, within(1e-4));
        assertThat(interval.high()).isCloseTo(17.6223, within(1e-4));
    }

    @Test
    void withoutSuccessTheUpperBoundHasAClosedForm() {
        assertThat(ClopperPearson.upper(0, 29, 0.05)).isCloseTo(1 - Math.pow(0.05, 1 / 29.0), within(1e-9));
        assertThat(ClopperPearson.lower(0, 29, 0.05)).isZero();
        assertThat(ClopperPearson.upper(29, 29, 0.05)).isEqualTo(1);
    }

    @Test
    void atTheUpperBoundSoFewSuccessesHaveTheErrorsProbability() {
        for (int successes : new int[] {0, 1, 7, 40}) {
            double bound = ClopperPearson.upper(successes, 200, 0.001);
            assertThat(new BinomialDistribution(null, 200, bound).cumulativeProbability(successes))
                    .isCloseTo(0.001, within(1e-8));
        }
    }

    @Test
    void whatIsNoProportionIsRefused() {
        assertThatThrownBy(() -> ClopperPearson.upper(3, 2, 0.05))
                .hasMessageContaining("successes = 3.0 must be 0 to trials, 2");
        assertThatThrownBy(() -> ClopperPearson.upper(0, 0, 0.05)).hasMessageContaining("trials = 0");
        assertThatThrownBy(() -> ClopperPearson.upper(1, 2, 1)).hasMessageContaining("error = 1.0");
    }
}
