package dev.prpf.base.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.json.JsonRecords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BootstrapTest {
    /** Returns the share of the first {@code right} samples in a draw, in percent. */
    private static Bootstrap.Estimator share(int right) {
        return times -> new double[] {
            100.0 * Arrays.stream(times, 0, right).sum() / Arrays.stream(times).sum()
        };
    }

    @Test
    void aShareHasTheBinomialsInterval() {
        double halfWidth = 1.96 * 100 * Math.sqrt(0.3 * 0.7 / 400);
        Interval interval = Objects.requireNonNull(
                new Bootstrap(4_000, 7, 95).ofGroups(400, share(120)).get(0));
        assertThat(interval.low()).isCloseTo(30 - halfWidth, within(0.6));
        assertThat(interval.high()).isCloseTo(30 + halfWidth, within(0.6));
    }

    @Test
    void theEndsAreTheOrderStatisticsOfDavisonAndHinkley() {
        List<Double> means = new ArrayList<>();
        Interval interval = Objects.requireNonNull(new Bootstrap(39, 3, 95)
                .ofGroups(5, times -> {
                    double mean = (times[1] + 2 * times[2] + 3 * times[3] + 4 * times[4]) / 5.0;
                    means.add(mean);
                    return new double[] {mean};
                })
                .get(0));

        List<Double> ordered = means.stream().sorted().toList();
        assertThat(ordered).hasSize(39);
        assertThat(interval.low()).as("the (39 + 1) 0.025 = first").isEqualTo(ordered.get(0));
        assertThat(interval.high()).as("the (39 + 1) 0.975 = 39th").isEqualTo(ordered.get(38));
    }

    @Test
    void theSameSeedGivesTheSameIntervalAnotherSeedDoesNot() {
        List<@Nullable Interval> once = new Bootstrap(300, 1, 95).ofGroups(97, share(41));
        assertThat(new Bootstrap(300, 1, 95).ofGroups(97, share(41))).isEqualTo(once);
        assertThat(new Bootstrap(300, 2, 95).ofGroups(97, share(41))).isNotEqualTo(once);
    }

    @Test
    void everyDrawHasAllUnitsAndAllEstimatesShareTheDraws() {
        List<@Nullable Interval> intervals = new Bootstrap(200, 5, 95).ofGroups(30, times ->
                new double[] {IntStream.of(times).sum(), times[0] - 2.0 * times[1], times[0], 2.0 * times[1]});
        assertThat(intervals.get(0)).isEqualTo(new Interval(30, 30));
        assertThat(intervals.get(1)).isNotEqualTo(new Interval(0, 0));
        assertThat(new Bootstrap(200, 5, 95).ofGroups(30, times -> new double[] {times[0] - 2.0 * times[1]}))
                .containsExactly(intervals.get(1));
    }

    @Test
    void drawsInWhichAnEstimateDoesNotExistAreLeftOut() {
        assertThat(new Bootstrap(500, 9, 95)
                        .ofGroups(2, times -> new double[] {times[0] == 0 ? Double.NaN : 7, Double.NaN, 0}))
                .containsExactly(new Interval(7, 7), null, new Interval(0, 0));
    }

    @Test
    void ofOneUnitThereIsNoIntervalSinceEveryDrawIsTheSame() {
        assertThat(new Bootstrap(500, 9, 95).ofGroups(1, times -> new double[] {times[0], 7}))
                .containsExactly(null, null);
        Means means = Means.of(new long[] {3, 3, 3}, i -> new double[] {i, 100});
        assertThat(new Bootstrap(500, 9, 95).ofShares(means)).containsExactly(null, null);
    }

    @Test
    void anIntervalIsAnArrayInJson() {
        assertThat(JsonRecords.write(new Interval(1.5, 2))).isEqualTo("[1.5,2.0]");
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new Bootstrap(0, 1, 95)).hasMessageContaining("resamples = 0");
        assertThatThrownBy(() -> new Bootstrap(10, 1, 100)).hasMessageContaining("level = 100");
    }
}
