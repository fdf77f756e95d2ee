package dev.prpf.par.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void isTheMiddleAndBothEnds() {
        assertThat(Spread.of(5, 1, 3)).isEqualTo(new Spread(3, 1, 5));
        assertThat(Spread.of(4, 1, 2, 3)).isEqualTo(new Spread(2.5, 1, 4));
        assertThat(Spread.of(7)).isEqualTo(new Spread(7, 7, 7));
    }

    @Test
    void ofNothingDoesNotExist() {
        assertThat(Spread.of()).isNull();
    }
}
