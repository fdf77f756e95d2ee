package dev.prpf.mpp.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HighestF1Test {
    @Test
    void theThresholdIsMidwayBelowTheBestCut() {
        double[] scores = {0.9, 0.8, 0.7, 0.4, 0.2};
        boolean[] labels = {true, false, true, false, false};

        assertThat(RocCurve.highestF1(scores, labels)).isEqualTo((0.7 + 0.4) / 2); // F1 80 against 66.7 and 50
    }

    @Test
    void alwaysIsPossibleAndNeverIsChosenWithoutPositives() {
        assertThat(RocCurve.highestF1(new double[] {0.3, 0.1}, new boolean[] {false, true}))
                .isEqualTo(0.1);
        assertThat(RocCurve.highestF1(new double[] {0.3, 0.1}, new boolean[] {false, false}))
                .isInfinite();
    }

    @Test
    void noCutBeatsItOnRandomScoresWithTies() {
        Random random = new Random(11);
        for (int draw = 0; draw < 200; draw++) {
            double[] scores = random.doubles(12).map(x -> Math.floor(x * 6)).toArray();
            boolean[] labels = new boolean[12];
            for (int i = 0; i < 12; i++) {
                labels[i] = random.nextInt(3) == 0;
            }
            double chosen = f1(RocCurve.highestF1(scores, labels), scores, labels);
            for (double cut = -0.5; cut < 7; cut += 1) {
                assertThat(f1(cut, scores, labels)).isLessThanOrEqualTo(chosen);
            }
        }
    }

    private static double f1(double threshold, double[] scores, boolean[] labels) {
        int hits = 0;
        int triggers = 0;
        int positives = 0;
        for (int i = 0; i < scores.length; i++) {
            hits += labels[i] && scores[i] >= threshold ? 1 : 0;
            triggers += scores[i] >= threshold ? 1 : 0;
            positives += labels[i] ? 1 : 0;
        }
        return triggers + positives == 0 ? 0 : 2.0 * hits / (triggers + positives);
    }
}
