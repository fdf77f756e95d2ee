package dev.prpf.mpp.network.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JointLossTest {
    private static final double[][] LOGITS = {{0.4, -1.2, 0.7}, {-0.3, 2.0, 0.1}, {1.5, 0.3, -0.8}};
    private static final float[] TRIGGER = {1, 0, 1};
    private static final float[][] SCENARIOS = {{0, 1}, {0, 0}, {1, 0}};

    private static List<SampleFeatures> samples(float[] trigger, float[][] scenarios) {
        return IntStream.range(0, trigger.length)
                .mapToObj(i -> new SampleFeatures(
                        "s" + i, new float[3][1], new float[1][1], new boolean[1], trigger[i] == 1, scenarios[i]))
                .toList();
    }

    /** The formulas of PRPF eq. 9 to 12, as in the paper. */
    private static double formula(double gamma, double alpha, double lambda) {
        double focal = 0;
        double crossEntropy = 0;
        for (int i = 0; i < 3; i++) {
            double p = 1 / (1 + Math.exp(-LOGITS[i][0]));
            double pt = TRIGGER[i] * p + (1 - TRIGGER[i]) * (1 - p);
            double at = TRIGGER[i] == 1 ? alpha : 1 - alpha;
            focal -= at * Math.pow(1 - pt, gamma) * Math.log(pt) / 3;
            for (int s = 0; s < 2 && TRIGGER[i] == 1; s++) {
                double q = 1 / (1 + Math.exp(-LOGITS[i][s + 1]));
                double y = SCENARIOS[i][s];
                crossEntropy -= (y * Math.log(q) + (1 - y) * Math.log(1 - q)) / (2 * 2); // two labels, two triggering
            }
        }
        return focal + lambda * crossEntropy;
    }

    @Test
    void theLossIsThePapersFormula() {
        JointLoss loss = new JointLoss(2, 0.3, 0.5);
        assertThat(loss.of(LOGITS, samples(TRIGGER, SCENARIOS))).isCloseTo(formula(2, 0.3, 0.5), within(1e-12));
    }

    @Test
    void theFocalGradientIsTheDerivativeOfTheLoss() {
        JointLoss loss = new JointLoss(1.5, 0.3, 0.5);
        for (int row = 0; row < 3; row++) {
            double logit = LOGITS[row][0];
            double above = loss.focal(logit + 1e-6, TRIGGER[row]);
            double below = loss.focal(logit - 1e-6, TRIGGER[row]);
            assertThat(loss.focalGradient(logit, TRIGGER[row])).isCloseTo((above - below) / 2e-6, within(1e-8));
        }
    }

    @Test
    void emptyRowsAndExtremeLogitsAreHarmless() {
        double[][] logits = {{800, -900, 700}, {5, 5, 5}};
        double loss = new JointLoss(2, 0.5, 0.5).of(logits, samples(new float[] {1}, new float[][] {{1, 0}}));
        assertThat(loss).isCloseTo(0.5 * (900 + 700) / 2, within(1e-9));
        assertThatThrownBy(() -> new JointLoss(-1, 0.5, 0.5)).hasMessage("gamma = -1.0 must be at least 0");
        assertThatThrownBy(() -> new JointLoss(2, 1, 0.5)).hasMessage("alpha = 1.0 must be in (0, 1)");
    }
}
