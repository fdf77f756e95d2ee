package dev.prpf.mpp.ensemble;

import java.util.Arrays;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.DecompositionSolver;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.NonPositiveDefiniteMatrixException;
import org.apache.commons.math3.linear.RealLinearOperator;
import org.apache.commons.math3.linear.RealVector;
import org.apache.commons.math3.util.MathArrays;

/**
 * Fits logistic regressions on the same dense rows for several strengths, and shares the common computation. Newton's steps are
 * preconditioned by the second derivative at 0 (each curvature is a quarter of its cost), factored once for each strength. If there are
 * more columns than rows, the rows are replaced by the Cholesky factor of their Gram matrix. Its rows are shorter and have equal inner
 * products, the only thing that the objective depends on.
 */
final class DensePath {
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
