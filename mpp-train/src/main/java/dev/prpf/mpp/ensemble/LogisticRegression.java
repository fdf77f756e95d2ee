package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.DecompositionSolver;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.NonPositiveDefiniteMatrixException;
import org.apache.commons.math3.linear.RealLinearOperator;
import org.apache.commons.math3.linear.RealVector;
import org.apache.commons.math3.util.MathArrays;

/**
 * L2-regularised logistic regression, {@code 1/2 w'w + C sum_i s_i ln(1 + exp(-y_i (w'x_i + b)))} with an unregularised intercept b and s_i =
 * n / (2 n_class), which balances the classes. It is the objective of scikit-learn's LogisticRegression with {@code class_weight="balanced"},
 * solved by Newton's method to a gradient of 1e-8.
 *
 * @param weights one for each column
 * @param intercept b
 */
public record LogisticRegression(double[] weights, double intercept) {
    /**
     * Fits the model on sparse rows.
     *
     * @param c inverse strength of the regularisation, above 0
     * @throws PrpfException 65 if the numbers of rows and labels differ or a class is missing
     */
    public static LogisticRegression fit(List<SparseVector> rows, boolean[] labels, double c) {
        Rule.require(c > 0, "c", c, "above 0");
        DesignMatrix.Sparse design = DesignMatrix.Sparse.of(rows);
        double[] costs = MathArrays.scale(c, balance(rows.size(), labels));
        return of(new LogisticObjective(design, labels, costs, null).minimum());
    }

    /**
     * Fits the model on dense rows such as embeddings. For strongly correlated rows it is far faster than the sparse fit ({@code
     * benchmarks/gate/FitTime.java}).
     *
     * @param rows shape (n, columns), at least one column
     * @param c inverse strength of the regularisation, above 0
     * @throws PrpfException 65 if rows differ in length, the numbers of rows and labels differ, or a class is missing
     */
    public static LogisticRegression fit(double[][] rows, boolean[] labels, double c) {
        return path(rows, labels, c).get(0);
    }

    /**
     * Fits a model for each strength on the same dense rows and shares the common computation.
     *
     * @param rows shape (n, columns), at least one column
     * @param strengths values of C, each above 0
     * @return one model for each strength, in order
     * @throws PrpfException 65 if rows differ in length, the numbers of rows and labels differ, or a class is missing
     */
    public static List<LogisticRegression> path(double[][] rows, boolean[] labels, double... strengths) {
        for (double c : strengths) {
            Rule.require(c > 0, "c", c, "above 0");
        }
        double[] balance = balance(rows.length, labels);
        DesignMatrix.Dense design = DesignMatrix.Dense.of(rows);
        DensePath path = new DensePath(design, labels, balance);
        return DoubleStream.of(strengths).mapToObj(path::fit).toList();
    }

    /** Splits a solution into weights and the intercept, its last element. */
    static LogisticRegression of(double[] solution) {
        int width = solution.length - 1;
        return new LogisticRegression(Arrays.copyOf(solution, width), solution[width]);
    }

    /** Returns P(label = true | row). Columns unknown from training are ignored. */
    public double predictProbability(SparseVector row) {
        return sigmoid(row.dot(weights) + intercept);
    }

    /** P(label = true | row), for a row with the training's number of columns. */
    public double predictProbability(double[] row) {
        return sigmoid(logOdds(row));
    }

    /** ln(p / (1 - p)) of p = P(label = true | row), for a row with the training's number of columns. */
    public double logOdds(double[] row) {
        if (row.length != weights.length) {
            throw new IllegalArgumentException(
                    "row has " + row.length + " columns, must have " + weights.length + ", as in training");
        }
        return DesignMatrix.Dense.dot(row, weights) + intercept;
    }

    static double sigmoid(double z) {
        return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
    }

    /** n / (2 n_class) of each label's class, shape (n). */
    private static double[] balance(int rows, boolean[] labels) {
        int positives = positives(rows, labels);
        return IntStream.range(0, rows)
                .mapToDouble(i -> rows / (2.0 * (labels[i] ? positives : rows - positives)))
                .toArray();
    }

    /** Number of positive labels; both classes must occur, with one label for each row. */
    static int positives(int rows, boolean[] labels) {
        if (rows != labels.length) {
            throw new InvalidDataException("classifier: rows = " + rows + ", labels = " + labels.length
                    + ", must be equal; give one label for each row");
        }
        int positives = (int) IntStream.range(0, rows).filter(i -> labels[i]).count();
        if (positives == 0 || positives == labels.length) {
            throw new InvalidDataException("classifier: " + positives + " of " + labels.length
                    + " labels are positive, both classes must occur; give training rows of the other class");
        }
        return positives;
    }

    /**
     * Fits logistic regressions on the same dense rows for several strengths, and shares the common computation. Newton's steps are
     * preconditioned by the second derivative at 0 (each curvature is a quarter of its cost), factored once for each strength. If there are
     * more columns than rows, the rows are replaced by the Cholesky factor of their Gram matrix. Its rows are shorter and have equal inner
     * products, the only thing that the objective depends on.
     */
    static final class DensePath {
        private static final double SYMMETRY = 1e-9;
        private static final double MIN_RIDGE = 1e-12;
        private static final double QUARTER = 0.25;

        private final DesignMatrix.Dense rows;
        private final DesignMatrix.Dense solved;
        private final boolean[] labels;
        private final double[] balance;
        private final double[][] moments;
        private final boolean wide;

        /** Prepares the fit of these rows; {@code balance} is the cost of each at C = 1. */
        DensePath(DesignMatrix.Dense rows, boolean[] labels, double[] balance) {
            this.rows = rows;
            this.labels = labels;
            this.balance = balance;
            wide = rows.width() > labels.length;
            solved = wide ? new DesignMatrix.Dense(triangle(gram(rows))) : rows;
            double[][] withOnes = Arrays.stream(solved.rows())
                    .map(row -> MathArrays.concatenate(row, new double[] {1}))
                    .toArray(double[][]::new);
            moments = new DesignMatrix.Dense(withOnes).moments(MathArrays.scale(QUARTER, balance));
        }

        /** Fits the model with this strength. */
        LogisticRegression fit(double c) {
            LogisticObjective objective =
                    new LogisticObjective(solved, labels, MathArrays.scale(c, balance), preconditioner(c));
            double[] solution = objective.minimum();
            if (!wide) {
                return LogisticRegression.of(solution);
            }
            double[] pulls = MathArrays.scale(-1, objective.slopes(solved.times(solution)));
            double[] weights = new double[rows.width() + 1];
            rows.addTo(weights, pulls);
            weights[rows.width()] = solution[solution.length - 1];
            return LogisticRegression.of(weights);
        }

        /** Returns the inverse of the second derivative at 0 for this C, shape (width + 1, width + 1). */
        private RealLinearOperator preconditioner(double c) {
            double[][] second =
                    Arrays.stream(moments).map(row -> MathArrays.scale(c, row)).toArray(double[][]::new);
            for (int j = 0; j < second.length; j++) {
                second[j][j] += j < second.length - 1 ? 1 : LogisticObjective.INTERCEPT_CURVATURE;
            }
            DecompositionSolver solver = cholesky(second).getSolver();
            return new RealLinearOperator() {
                @Override
                public int getRowDimension() {
                    return second.length;
                }

                @Override
                public int getColumnDimension() {
                    return second.length;
                }

                @Override
                public RealVector operate(RealVector vector) {
                    return solver.solve(vector);
                }
            };
        }

        /** Returns the Gram matrix of the rows, shape (n, n). */
        private static double[][] gram(DesignMatrix.Dense rows) {
            double[][] columns =
                    MatrixUtils.createRealMatrix(rows.rows()).transpose().getData();
            double[] ones = new double[rows.width()];
            Arrays.fill(ones, 1);
            return new DesignMatrix.Dense(columns).moments(ones);
        }

        /**
         * Returns L with {@code L L'} = the matrix plus a ridge on its diagonal. Linearly dependent rows make the matrix singular. The ridge is
         * the least of 1e-12, 1e-11 and so on, times the diagonal's mean, at which it can be factored.
         */
        private static double[][] triangle(double[][] matrix) {
            double mean = new Array2DRowRealMatrix(matrix, false).getTrace() / matrix.length;
            double added = 0;
            for (double ridge = MIN_RIDGE; ; ridge *= 10) {
                double now = ridge * (mean > 0 ? mean : 1);
                for (int i = 0; i < matrix.length; i++) {
                    matrix[i][i] += now - added;
                }
                added = now;
                try {
                    return cholesky(matrix).getL().getData();
                } catch (NonPositiveDefiniteMatrixException singular) {
                    if (ridge > 1) {
                        throw singular;
                    }
                }
            }
        }

        private static CholeskyDecomposition cholesky(double[][] matrix) {
            return new CholeskyDecomposition(new Array2DRowRealMatrix(matrix, false), SYMMETRY, 0);
        }
    }
}
