package dev.prpf.mpp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TimingTest {
    @Test
    void medianAndNineOfTen() {
        Timing odd = Timing.of(LongStream.of(5_000_000, 1_000_000, 3_000_000));
        assertThat(odd.median()).isEqualTo(3);
        assertThat(odd.p90()).isEqualTo(5);
        assertThat(odd.runs()).isEqualTo(3);
        long[] ten = new long[10];
        for (int i = 0; i < 10; i++) {
            ten[i] = (10 - i) * 1_000_000L;
        }
        assertThat(Timing.of(LongStream.of(ten)).median()).isEqualTo(5.5);
        assertThat(Timing.of(LongStream.of(ten)).p90()).isEqualTo(9);
        assertThatThrownBy(() -> Timing.of(LongStream.empty())).hasMessageContaining("at least one");
    }

    @Test
    void warmUpIsNotMeasuredAndThreeRunsAreTheLeast() {
        AtomicInteger runs = new AtomicInteger();
        assertThat(Timing.measure(4, 1e-9, runs::incrementAndGet).runs()).isEqualTo(3);
        assertThat(runs).hasValue(7);
        assertThat(Timing.measure(0, 0.02, runs::incrementAndGet).runs()).isGreaterThan(64);
    }
}
