package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.eval.score.Comparer.Paired;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PairedTest {
    private static final double NO = Double.NaN;
    private static final long[] SOURCES = {0, 1, 2, 3};

    private static @Nullable Paired paired(double[] first, double[] second) {
        return Paired.of(new Bootstrap(200, 1, 95), SOURCES, List.of(first), List.of(second))
                .get(0);
    }

    @Test
    void aSampleThatOneSideDoesNotCountIsLeftOutOfBothMeans() {
        Paired pair = Objects.requireNonNull(paired(new double[] {100, 0, NO, 0}, new double[] {NO, 100, 100, 100}));
        assertThat(pair.n()).isEqualTo(2);
        assertThat(pair.before()).isCloseTo(0, within(1e-9));
        assertThat(pair.after()).isCloseTo(100, within(1e-9));
        assertThat(pair.difference()).isCloseTo(100, within(1e-9));
        assertThat(Objects.requireNonNull(pair.interval()).low()).isCloseTo(100, within(1e-9));
    }

    @Test
    void oneSourceOrOnlyEmptyDrawsGiveADifferenceWithoutInterval() {
        List<double[]> first = List.of(new double[] {100, NO, NO, NO});
        List<double[]> second = List.of(new double[] {0, NO, NO, NO});
        for (int seed = 0; seed < 20; seed++) {
            Paired pair = Objects.requireNonNull(Paired.of(new Bootstrap(1, seed, 95), SOURCES, first, second)
                    .get(0));
            assertThat(pair.difference()).isEqualTo(-100);
        }
        assertThat(Objects.requireNonNull(Paired.of(new Bootstrap(200, 1, 95), new long[4], first, second)
                                .get(0))
                        .interval())
                .isNull();
    }

    @Test
    void whereNoSampleCountsOnBothSidesThereIsNothing() {
        assertThat(paired(new double[] {100, NO, 0, NO}, new double[] {NO, 100, NO, NO}))
                .isNull();
    }
}
