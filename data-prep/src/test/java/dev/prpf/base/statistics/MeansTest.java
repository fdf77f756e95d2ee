package dev.prpf.base.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeansTest {
    private static final Bootstrap BOOTSTRAP = new Bootstrap(4_000, 7, 95);

    private static long[] alone(int n) {
        return LongStream.range(0, n).toArray();
    }

    private static double width(Means means) {
        Interval interval = Objects.requireNonNull(BOOTSTRAP.ofMeans(means).get(0));
        return interval.high() - interval.low();
    }

    @Test
    void aMeanLeavesOutWhatItDoesNotCount() {
        double[][] values = {{1, Double.NaN}, {0, 4}, {0, 8}, {1, Double.NaN}};
        Means means = Means.of(alone(4), i -> values[i]);
        assertThat(means.values()).containsExactly(0.5, 6);
        assertThat(means.units()).isEqualTo(4);
        assertThat(means.rows()).as("the first and the last are equal").isEqualTo(3);
    }

    @Test
    void aMeanOfNothingIsNotANumberAndHasNoInterval() {
        Means means = Means.of(alone(3), i -> new double[] {i, Double.NaN});
        assertThat(means.values()[1]).isNaN();
        List<@Nullable Interval> intervals = BOOTSTRAP.ofMeans(means);
        assertThat(intervals.get(0)).isNotNull();
        assertThat(intervals.get(1)).isNull();
        assertThatThrownBy(() -> Means.of(new long[0], i -> new double[0])).hasMessageContaining("no samples");
    }

    @Test
    void equalSamplesKeptOnceHaveTheIntervalOfSamplesKeptEach() {
        double[] values = new double[400];
        for (int i = 0; i < 120; i++) {
            values[i * 3] = 100;
        }
        Interval together = BOOTSTRAP
                .ofMeans(Means.of(alone(400), i -> new double[] {values[i]}))
                .get(0);
        Interval each = BOOTSTRAP
                .ofGroups(400, times -> {
                    double sum = 0;
                    for (int i = 0; i < times.length; i++) {
                        sum += times[i] * values[i];
                    }
                    return new double[] {sum / 400};
                })
                .get(0);
        assertThat(Objects.requireNonNull(together).low())
                .isCloseTo(Objects.requireNonNull(each).low(), within(1e-9));
        assertThat(together.high()).isCloseTo(each.high(), within(1e-9));
    }

    @Test
    void samplesOfOneSourceCountAsOneSoThatTheIntervalIsWider() {
        long[] fives = LongStream.range(0, 500).map(i -> i % 100).toArray(); // not side by side
        Means clustered = Means.of(fives, i -> new double[] {i % 100 < 40 ? 1 : 0});
        Means independent = Means.of(alone(500), i -> new double[] {i % 100 < 40 ? 1 : 0});
        assertThat(clustered.units()).isEqualTo(100);
        assertThat(clustered.values()).containsExactly(0.4);
        // the standard error of 100 clusters is sqrt(5) times that of 500 samples
        assertThat(width(clustered) / width(independent)).isCloseTo(Math.sqrt(5), within(0.15));
    }

    @Test
    void aDifferenceOfTwoMeansIsPaired() {
        Means means = Means.of(alone(200), i -> new double[] {i < 10 ? 1 : 0, i % 2});
        List<@Nullable Interval> intervals = BOOTSTRAP.ofMeans(means);
        Interval difference = Objects.requireNonNull(intervals.get(0));
        Interval single = Objects.requireNonNull(intervals.get(1));
        assertThat(difference.low()).isBetween(0.02, 0.03);
        assertThat(difference.high()).isBetween(0.07, 0.09);
        assertThat(single.high() - single.low()).isGreaterThan(2 * (difference.high() - difference.low()));
    }

    @Test
    void ofShares_ofEqualUnits_isTheExactInterval() {
        double none = Double.NaN;
        double[][] values = {{0, 100, 0, none}, {0, 100, none, none}, {0, 100, none, none}, {0, 100, none, none}};
        List<@Nullable Interval> intervals = BOOTSTRAP.ofShares(Means.of(new long[] {1, 2, 3, 3}, i -> values[i]));
        assertThat(intervals)
                .as("the last two samples share a source; the third share has one sample; the last has none")
                .containsExactly(
                        ClopperPearson.interval(0, 3, 95),
                        ClopperPearson.interval(3, 3, 95),
                        ClopperPearson.interval(0, 1, 95),
                        null);
        assertThat(BOOTSTRAP.ofShares(Means.of(alone(6), i -> new double[] {200 / 3.0})))
                .as("equal means between the ends")
                .containsExactly(ClopperPearson.interval(6 * (200 / 3.0) / 100, 6, 95));
        Means unequal = Means.of(alone(40), i -> new double[] {i < 12 ? 100 : 0});
        assertThat(BOOTSTRAP.ofShares(unequal)).isEqualTo(BOOTSTRAP.ofMeans(unequal));
    }
}
