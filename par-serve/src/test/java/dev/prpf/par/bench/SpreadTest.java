package dev.prpf.par.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void isTheMiddleAndBothEnds() {
        assertThat(BenchMetrics.Spread.of(5, 1, 3)).isEqualTo(new BenchMetrics.Spread(3, 1, 5));
        assertThat(BenchMetrics.Spread.of(4, 1, 2, 3)).isEqualTo(new BenchMetrics.Spread(2.5, 1, 4));
        assertThat(BenchMetrics.Spread.of(7)).isEqualTo(new BenchMetrics.Spread(7, 7, 7));
    }

    @Test
    void ofNothingDoesNotExist() {
        assertThatThrownBy(BenchMetrics.Spread::of)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no round was measured");
    }
}
