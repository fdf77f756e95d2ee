package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.mpp.gate.RocCurve;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** The choice of an ensemble's weights by the gates' scores of labelled points. */
class ScoreEnsembleTest {
    private static final int POINTS = 200;
    private static final boolean[] LABELS = new boolean[POINTS];

    static {
        for (int i = 0; i < POINTS; i++) {
            LABELS[i] = i % 2 == 0;
        }
    }

    /** A gate that is right but for noise: the less signal, the worse. */
    private static double[] gate(double signal, long seed) {
        Random random = new Random(seed);
        double[] scores = new double[POINTS];
        for (int i = 0; i < POINTS; i++) {
            double logit = (LABELS[i] ? signal : -signal) + random.nextGaussian();
            scores[i] = 1 / (1 + Math.exp(-logit));
        }
        return scores;
    }

    private static double area(ScoreEnsemble ensemble, double[][] scores) {
        Double area = RocCurve.area(ensemble.apply(scores), LABELS);
        return area == null ? -1 : area;
    }

    @Test
    void aGateThatIsAllNoiseIsLeftOut() {
        double[][] scores = {gate(0, 1), gate(1, 2), gate(1, 3)};

        ScoreEnsemble chosen = ScoreEnsemble.weighted(scores, LABELS);

        assertThat(chosen.weights()[0]).isZero();
        assertThat(chosen.weights()[1]).isGreaterThan(0.3);
        assertThat(chosen.weights()[2]).isGreaterThan(0.3);
        assertThat(area(chosen, scores)).isGreaterThan(area(ScoreEnsemble.equal(scores), scores));
    }

    @Test
    void aWeakGateMayCountHalf() {
        double[][] scores = {gate(0.5, 4), gate(1, 5)};

        double[] weights = ScoreEnsemble.weighted(scores, LABELS).weights();

        assertThat(weights).containsExactly(new double[] {1.0 / 3, 2.0 / 3}, within(1e-12));
    }

    @Test
    void noOtherWeightsOfTheThreeAreBetterAndTheyAddUpToOne() {
        double[][] scores = {gate(0.3, 6), gate(0.8, 7), gate(0.6, 8)};
        ScoreEnsemble chosen = ScoreEnsemble.weighted(scores, LABELS);
        double best = area(chosen, scores);

        for (double a : new double[] {0, 0.5, 1}) {
            for (double b : new double[] {0, 0.5, 1}) {
                double[] weights = {a / (a + b + 1), b / (a + b + 1), 1 / (a + b + 1)};
                ScoreEnsemble other = new ScoreEnsemble(chosen.means(), chosen.standardDeviations(), weights);
                assertThat(area(other, scores)).isLessThanOrEqualTo(best + 1e-9);
            }
        }
        assertThat(DoubleStream.of(chosen.weights()).sum()).isCloseTo(1, within(1e-12));
    }

    @Test
    void indistinguishableGatesKeepEqualWeights() {
        double[] same = gate(1, 9);
        assertThat(ScoreEnsemble.weighted(new double[][] {same, same}, LABELS).weights())
                .containsExactly(0.5, 0.5);
        assertThat(ScoreEnsemble.weighted(new double[][] {same, gate(1, 10)}, new boolean[POINTS])
                        .weights())
                .as("a single class has no ROC curve")
                .containsExactly(0.5, 0.5);
        assertThat(ScoreEnsemble.weighted(new double[][] {same}, LABELS).weights())
                .containsExactly(1.0);
    }
}
