package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Dense rows: the numbers of scikit-learn 1.x (solver newton-cholesky, tol 1e-12, class_weight balanced), and those of the sparse path. */
class DenseLogisticRegressionTest {
    private static final Offset<Double> CLOSE = within(1e-6);

    @Test
    void moreRowsThanColumnsAsScikitLearnSolvesIt() {
        List<LogisticRegression> models = LogisticRegression.path(waves(12, 3), labels(12), 0.5, 20);

        assertThat(models.get(0).weights())
                .containsExactly(new double[] {-0.74952649, -0.00699115, -0.50320859}, CLOSE);
        assertThat(models.get(0).intercept()).isCloseTo(0.04960830, CLOSE);
        assertThat(models.get(1).weights())
                .containsExactly(new double[] {-3.87252003, -1.07803913, -3.14997983}, CLOSE);
        assertThat(models.get(1).intercept()).isCloseTo(0.53413708, CLOSE);
    }

    @Test
    void fewerRowsThanColumnsAsScikitLearnSolvesIt() {
        List<LogisticRegression> models = LogisticRegression.path(waves(5, 7), labels(5), 0.5, 20);

        double[] weak = {-0.48030116, -0.15677469, 0.10168584, -0.17330490, 0.14799704, -0.55379512, -0.22657273};
        double[] strong = {-1.74365572, -0.55555195, 0.40548438, -0.62908892, 0.58508872, -2.00747807, -0.78840798};
        assertThat(models.get(0).weights()).containsExactly(weak, CLOSE);
        assertThat(models.get(0).intercept()).isCloseTo(0.02789529, CLOSE);
        assertThat(models.get(1).weights()).containsExactly(strong, CLOSE);
        assertThat(models.get(1).intercept()).isCloseTo(0.12108112, CLOSE);
    }

    @Test
    void theSparsePathGivesTheSameModelOfTallAndWideRows() {
        for (int[] shape : new int[][] {{90, 20}, {40, 41}, {30, 75}}) {
            double[][] rows = noise(shape[0], shape[1]);
            boolean[] labels = labels(shape[0]);
            for (double c : new double[] {0.01, 1, 30}) {
                LogisticRegression dense = LogisticRegression.fit(rows, labels, c);
                LogisticRegression sparse = LogisticRegression.fit(sparse(rows), labels, c);

                assertThat(dense.weights()).containsExactly(sparse.weights(), CLOSE);
                assertThat(dense.intercept()).isCloseTo(sparse.intercept(), CLOSE);
                assertThat(dense.predictProbability(rows[3]))
                        .isCloseTo(sparse.predictProbability(sparse(rows).get(3)), CLOSE);
            }
        }
    }

    @Test
    void theGradientVanishesWhereRowsRepeatAndDependOnEachOther() {
        double[][] rows = noise(24, 50);
        rows[5] = rows[4].clone();
        rows[7] = new double[50];
        rows[8] = new double[50];
        Arrays.setAll(rows[9], j -> rows[1][j] + rows[2][j]);
        boolean[] labels = labels(24);

        LogisticRegression model = LogisticRegression.fit(rows, labels, 10);

        double[] gradient = model.weights().clone();
        double ofIntercept = 0;
        int positives = LogisticRegression.positives(24, labels);
        for (int i = 0; i < labels.length; i++) {
            double cost = 10 * 24 / (2.0 * (labels[i] ? positives : 24 - positives));
            double residual = cost * (model.predictProbability(rows[i]) - (labels[i] ? 1 : 0));
            ofIntercept += residual;
            for (int j = 0; j < gradient.length; j++) {
                gradient[j] += residual * rows[i][j];
            }
        }
        assertThat(gradient).containsExactly(new double[50], CLOSE);
        assertThat(ofIntercept).isCloseTo(0, CLOSE);
    }

    @Test
    void rowsOfZerosLeaveTheIntercept() {
        LogisticRegression wide = LogisticRegression.fit(new double[3][5], new boolean[] {true, false, false}, 1);

        assertThat(wide.weights()).containsExactly(new double[5], CLOSE);
        assertThat(wide.intercept()).isCloseTo(0, CLOSE); // classes weigh the same
    }

    @Test
    void aModelOfAPathDoesNotDependOnTheOthers() {
        double[][] rows = noise(30, 12);
        LogisticRegression alone = LogisticRegression.fit(rows, labels(30), 3);
        LogisticRegression among =
                LogisticRegression.path(rows, labels(30), 0.01, 3, 100).get(1);

        assertThat(among.weights()).containsExactly(alone.weights(), CLOSE);
    }

    @Test
    void theLogOddsAreTheProbabilitys() {
        LogisticRegression model = new LogisticRegression(new double[] {1, -2, 0.5, 3, 1}, 0.25);

        double odds = model.logOdds(new double[] {1, 1, 2, 0, -1});

        assertThat(odds).isCloseTo(-0.75, within(1e-12));
        assertThat(model.predictProbability(new double[] {1, 1, 2, 0, -1}))
                .isCloseTo(1 / (1 + Math.exp(0.75)), within(1e-12));
        assertThatThrownBy(() -> model.logOdds(new double[4]))
                .hasMessage("row has 4 columns, must have 5, as in training");
    }

    @Test
    void refusesRowsItCannotLearnFrom() {
        boolean[] labels = {true, false};
        assertRefused(new double[][] {{1, 2}, {1}}, labels, "row 1 has 1 columns, must have as many as row 0, 2,");
        assertRefused(new double[2][0], labels, "row 0 has 0 columns");
        assertRefused(new double[3][2], labels, "rows = 3, labels = 2, must be equal");
        assertRefused(new double[2][2], new boolean[2], "0 of 2 labels are positive, both classes must occur");
        assertThatThrownBy(() -> LogisticRegression.path(new double[2][2], labels, 1, 0))
                .hasMessageContaining("c = 0.0");
    }

    private static void assertRefused(double[][] rows, boolean[] labels, String message) {
        assertThatThrownBy(() -> LogisticRegression.fit(rows, labels, 1))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(message);
    }

    /** sin(1.3 (i + 1) (j + 1) + i i) at row i, column j. */
    private static double[][] waves(int n, int width) {
        return IntStream.range(0, n)
                .mapToObj(i -> IntStream.range(0, width)
                        .mapToDouble(j -> Math.sin(1.3 * (i + 1) * (j + 1) + i * i))
                        .toArray())
                .toArray(double[][]::new);
    }

    private static boolean[] labels(int n) {
        boolean[] labels = new boolean[n];
        for (int i = 0; i < n; i++) {
            labels[i] = i * i % 3 == 1 && i % 4 != 2;
        }
        return labels;
    }

    private static double[][] noise(int n, int width) {
        Random random = new Random(n * 31L + width);
        return IntStream.range(0, n)
                .mapToObj(i ->
                        DoubleStream.generate(random::nextGaussian).limit(width).toArray())
                .toArray(double[][]::new);
    }

    private static List<SparseVector> sparse(double[][] rows) {
        int[] columns = IntStream.range(0, rows[0].length).toArray();
        return Arrays.stream(rows).map(row -> new SparseVector(columns, row)).toList();
    }
}
