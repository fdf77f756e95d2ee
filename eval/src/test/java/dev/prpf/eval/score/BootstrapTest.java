package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.calls;
import static dev.prpf.eval.score.Cases.gated;
import static dev.prpf.eval.score.Cases.reasoned;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.statistics.Interval;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class BootstrapTest {
    /** n acting samples of which the first `right` are answered rightly. */
    private static List<SampleScore> scores(int n, int right) {
        List<Sample> gold = new ArrayList<>();
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            gold.add(text("s" + i, calls("a")));
            predictions.add(i < right ? reasoned("s" + i, calls("a")) : gated("s" + i));
        }
        return Cases.score(gold, predictions.toArray(Prediction[]::new)).samples();
    }

    @Test
    void aShareHasTheBinomialsInterval() {
        Interval interval = Objects.requireNonNull(
                new Bootstrap(4_000, 7, 95).intervals(scores(400, 120)).get(Figure.SR));
        double halfWidth = 1.96 * 100 * Math.sqrt(0.3 * 0.7 / 400);
        assertThat(interval.low()).isCloseTo(30 - halfWidth, within(0.6));
        assertThat(interval.high()).isCloseTo(30 + halfWidth, within(0.6));
    }

    @Test
    void theSameSeedGivesTheSameIntervalAnotherSeedDoesNot() {
        List<SampleScore> scores = scores(97, 41);
        Map<Figure, Interval> once = new Bootstrap(300, 1, 95).intervals(scores);
        assertThat(new Bootstrap(300, 1, 95).intervals(scores)).isEqualTo(once);
        assertThat(new Bootstrap(300, 2, 95).intervals(scores)).isNotEqualTo(once);
    }

    @Test
    void aFigureThatDoesNotExistHasNoInterval() {
        Map<Figure, Interval> intervals = Bootstrap.DEFAULT.intervals(scores(10, 5));
        assertThat(intervals).containsKey(Figure.SR).doesNotContainKeys(Figure.FTR, Figure.FTR_MATCHED);
        assertThat(Bootstrap.DEFAULT.intervals(List.of())).isEmpty();
    }

    @Test
    void aFigureWithoutSpreadHasAnIntervalOfNoWidth() {
        assertThat(Bootstrap.DEFAULT.intervals(scores(10, 10)).get(Figure.SR)).isEqualTo(new Interval(100, 100));
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new Bootstrap(0, 1, 95)).hasMessageContaining("resamples = 0");
        assertThatThrownBy(() -> new Bootstrap(10, 1, 100)).hasMessageContaining("level = 100");
    }
}
