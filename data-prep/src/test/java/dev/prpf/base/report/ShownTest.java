package dev.prpf.base.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.statistics.Interval;
import org.junit.jupiter.api.Test;

class ShownTest {
    @Test
    void numbersAndTheirIntervals() {
        Interval interval = new Interval(40, 60.25);
        assertThat(Shown.percent(50.0)).isEqualTo("50.00");
        assertThat(Shown.number(0.12345, "%.3f")).isEqualTo("0.123");
        assertThat(Shown.interval(interval)).isEqualTo("40.0 to 60.3");
        assertThat(Shown.bracketed(interval, "%.2f")).isEqualTo(" [40.00, 60.25]");
        assertThat(Shown.share(1, 8)).isEqualTo("12.5");
    }

    @Test
    void whatDoesNotExistIsADashAndItsIntervalIsNothing() {
        assertThat(Shown.percent(null)).isEqualTo(Shown.NONE);
        assertThat(Shown.number(null, "%.3f")).isEqualTo(Shown.NONE);
        assertThat(Shown.interval(null)).isEqualTo(Shown.NONE);
        assertThat(Shown.bracketed(null, "%.2f")).isEmpty();
        assertThat(Shown.share(0, 0)).isEqualTo(Shown.NONE);
    }
}
