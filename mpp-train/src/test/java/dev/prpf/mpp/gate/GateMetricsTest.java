package dev.prpf.mpp.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.report.LineChart;
import org.junit.jupiter.api.Test;

class GateMetricsTest {
    private static final double[] SCORES = {0.9, 0.8, 0.7, 0.7, 0.4, 0.2};
    private static final boolean[] LABELS = {true, false, true, false, true, false};

    @Test
    void ratiosAreTakenOfTheFourCounts() {
        ConfusionMatrix counts = ConfusionMatrix.of(
                new boolean[] {true, true, true, false, false, false},
                new boolean[] {true, true, false, true, false, false});

        assertThat(counts).isEqualTo(new ConfusionMatrix(2, 1, 2, 1));
        assertThat(counts.precision()).isCloseTo(66.667, within(0.001));
        assertThat(counts.recall()).isCloseTo(66.667, within(0.001));
        assertThat(counts.f1()).isCloseTo(66.667, within(0.001));
        assertThat(counts.accuracy()).isCloseTo(66.667, within(0.001));
        assertThat(counts.falseTriggerRate()).isCloseTo(33.333, within(0.001));
        assertThat(counts.falseAlarm()).isCloseTo(33.333, within(0.001));
        assertThat(new ConfusionMatrix(3, 1, 7, 5).falseTriggerRate()).isEqualTo(12.5);
        assertThat(new ConfusionMatrix(3, 1, 7, 5).falseAlarm()).isEqualTo(25);
    }

    @Test
    void aFigureThatDoesNotExistIsNull() {
        ConfusionMatrix never = new ConfusionMatrix(0, 0, 3, 2);

        assertThat(never.precision()).isNull();
        assertThat(never.f1()).isNull();
        assertThat(never.recall()).isEqualTo(0);
        assertThat(never.falseTriggerRate()).isEqualTo(0);
        assertThat(new ConfusionMatrix(2, 0, 0, 0).falseTriggerRate()).isNull();
        assertThat(RocCurve.area(new double[] {1, 2}, new boolean[] {true, true}))
                .isNull();
    }

    @Test
    void areaCountsPairsWithTiesAsHalves() {
        // pairs (positive, negative): .9 beats all 3; .7 loses to .8, ties .7, beats .2; .4 beats only .2
        assertThat(RocCurve.area(SCORES, LABELS)).isCloseTo((3 + 1.5 + 1) / 9, within(1e-12));
        assertThat(RocCurve.area(new double[6], LABELS)).isEqualTo(0.5);
    }

    @Test
    void theThresholdTakesTheMostRecallTheLimitAllows() {
        assertThat(RocCurve.mostRecallWithin(0, SCORES, LABELS)).isCloseTo(0.85, within(1e-12));
        assertThat(RocCurve.mostRecallWithin(34, SCORES, LABELS)).isCloseTo(0.85, within(1e-12));
        assertThat(RocCurve.mostRecallWithin(67, SCORES, LABELS)).isCloseTo(0.3, within(1e-12));
        assertThat(RocCurve.mostRecallWithin(100, SCORES, LABELS)).isCloseTo(0.3, within(1e-12));
        assertThat(RocCurve.mostRecallWithin(20, new double[] {1, 0}, new boolean[] {false, true}))
                .isInfinite();
    }

    @Test
    void thresholdSeparatesNeighbouringNumbers() {
        double high = Math.nextDown(1.0);
        double low = Math.nextDown(high);
        boolean[] labels = {true, false};
        assertThat((low + high) / 2).as("what rounding makes of the middle").isEqualTo(low);
        assertThat(RocCurve.mostRecallWithin(0, new double[] {high, low}, labels))
                .isEqualTo(high);
        assertThat(RocCurve.highestF1(new double[] {high, low}, labels)).isEqualTo(high);
    }

    @Test
    void theCurvesRunThroughEveryDistinctScore() {
        assertThat(RocCurve.points(SCORES, LABELS))
                .containsExactly(
                        new LineChart.Point(0, 0),
                        new LineChart.Point(0, 100.0 / 3),
                        new LineChart.Point(100.0 / 3, 100.0 / 3),
                        new LineChart.Point(200.0 / 3, 200.0 / 3),
                        new LineChart.Point(200.0 / 3, 100),
                        new LineChart.Point(100, 100));
        assertThat(RocCurve.precisionRecall(SCORES, LABELS))
                .containsExactly(
                        new LineChart.Point(100.0 / 3, 100),
                        new LineChart.Point(100.0 / 3, 50),
                        new LineChart.Point(200.0 / 3, 50),
                        new LineChart.Point(100, 60),
                        new LineChart.Point(100, 50));
    }

    @Test
    void averagePrecisionIsTheMeanPrecisionAtThePositives() {
        assertThat(RocCurve.averagePrecision(SCORES, LABELS)).isCloseTo((1 + 0.5 + 0.6) / 3, within(1e-12));
        assertThat(RocCurve.averagePrecision(new double[] {1}, new boolean[] {false}))
                .isNull();
    }
}
