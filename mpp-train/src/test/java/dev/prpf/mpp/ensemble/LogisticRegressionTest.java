package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LogisticRegressionTest {
    private static final Offset<Double> CLOSE = within(1e-6);
    private static final List<SparseVector> ROWS =
            List.of(row(1, 0, 2), row(0, 1, 1), row(3, 1, 0), row(0, 2, 1), row(1, 1, 1), row(2, 0, 0.5));

    @Test
    void solvesWhatScikitLearnSolves() {
        boolean[] labels = {true, false, true, false, false, true};

        LogisticRegression plain = LogisticRegression.fit(ROWS, labels, 1);
        assertThat(plain.weights()).containsExactly(new double[] {0.93369329, -0.71519772, 0.08561728}, CLOSE);
        assertThat(plain.intercept()).isCloseTo(-0.60421919, CLOSE);

        LogisticRegression strict = LogisticRegression.fit(ROWS, labels, 10);
        assertThat(strict.weights()).containsExactly(new double[] {2.22550747, -2.15202220, 0.66239638}, CLOSE);
        assertThat(strict.intercept()).isCloseTo(-1.88441670, CLOSE);
    }

    @Test
    void balancesUnequalClasses() {
        boolean[] labels = {true, false, false, false, false, true};

        LogisticRegression model = LogisticRegression.fit(ROWS, labels, 2);

        assertThat(model.weights()).containsExactly(new double[] {0.35254179, -1.56284587, 0.63076813}, CLOSE);
        assertThat(model.intercept()).isCloseTo(-0.16448292, CLOSE);
        assertThat(model.predictProbability(row(1, 2, 3))).isCloseTo(0.26012317, CLOSE);
    }

    @Test
    void theGradientVanishesOnManyRows() {
        Random random = new Random(7);
        List<SparseVector> rows = new ArrayList<>();
        boolean[] labels = new boolean[150];
        for (int i = 0; i < labels.length; i++) {
            double[] vector =
                    DoubleStream.generate(random::nextGaussian).limit(60).toArray();
            labels[i] = vector[0] + random.nextGaussian() > 0;
            rows.add(row(vector));
        }

        LogisticRegression model = LogisticRegression.fit(rows, labels, 5);

        double[] gradient = model.weights().clone();
        int positives = LogisticRegression.positives(labels.length, labels);
        for (int i = 0; i < labels.length; i++) {
            double residual = model.predictProbability(rows.get(i)) - (labels[i] ? 1 : 0);
            double weight = labels.length / (2.0 * (labels[i] ? positives : labels.length - positives));
            rows.get(i).addTo(gradient, 5 * weight * residual);
        }
        assertThat(gradient).containsExactly(new double[60], within(1e-7));
    }

    @Test
    void refusesLabelsItCannotLearnFrom() {
        assertThatThrownBy(() -> LogisticRegression.fit(ROWS, new boolean[6], 1))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("0 of 6 labels are positive");
        assertThatThrownBy(() -> LogisticRegression.fit(ROWS, new boolean[2], 1))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("rows = 6, labels = 2");
        assertThatThrownBy(() -> LogisticRegression.fit(ROWS, new boolean[6], 0))
                .hasMessageContaining("c = 0.0");
    }

    private static SparseVector row(double... values) {
        return new SparseVector(IntStream.range(0, values.length).toArray(), values);
    }
}
