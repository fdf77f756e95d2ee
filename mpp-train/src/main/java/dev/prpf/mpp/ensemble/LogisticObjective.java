package dev.prpf.mpp.ensemble;

import java.util.stream.IntStream;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.ConjugateGradient;
import org.apache.commons.math3.linear.RealLinearOperator;
import org.apache.commons.math3.linear.RealVector;
import org.jspecify.annotations.Nullable;

/** Logistic regression's objective and its minimum by truncated Newton: conjugate gradients, then a halving line search. */
final class LogisticObjective {
    /** Added to the intercept's curvature to keep it above 0. */
    static final double INTERCEPT_CURVATURE = 1e-12;

    private static final double GRADIENT_TOLERANCE = 1e-8;
    private static final int NEWTON_STEPS = 200;
    private static final double SUFFICIENT_DECREASE = 1e-4;

    private final DesignMatrix rows;
    private final double[] signs;
    private final double[] costs;
    private final @Nullable RealLinearOperator preconditioner;

    /**
     * Creates the objective of these rows.
     *
     * @param costs C s_i of each row
     * @param preconditioner approximate inverse of the second derivative, shape (width + 1, width + 1), which saves iterations; or null
     */
    LogisticObjective(
            DesignMatrix rows, boolean[] labels, double[] costs, @Nullable RealLinearOperator preconditioner) {
        this.rows = rows;
        this.costs = costs;
        this.preconditioner = preconditioner;
        signs = IntStream.range(0, labels.length)
                .mapToDouble(i -> labels[i] ? 1 : -1)
                .toArray();
    }

    /** Minimises the objective; returns the weights, then the intercept, length width + 1. */
    double[] minimum() {
        RealVector point = new ArrayRealVector(rows.width() + 1);
        for (int step = 0; step < NEWTON_STEPS; step++) {
            double[] margins = rows.times(point.toArray());
            RealVector gradient = weighted(point, 0, slopes(margins));
            if (gradient.getNorm() < GRADIENT_TOLERANCE) {
                break;
            }
            RealVector direction = newtonDirection(gradient, curvatures(margins));
            RealVector next = lineSearch(point, direction, value(point, margins), gradient.dotProduct(direction));
            if (next.equals(point)) {
                break; // no further decrease in double precision
            }
            point = next;
        }
        return point.toArray();
    }

    private RealVector lineSearch(RealVector point, RealVector direction, double value, double slope) {
        for (double length = 1; length > 1e-10; length /= 2) {
            RealVector trial = point.combine(1, length, direction);
            if (value(trial, rows.times(trial.toArray())) <= value + SUFFICIENT_DECREASE * length * slope) {
                return trial;
            }
        }
        return point;
    }

    private double value(RealVector point, double[] margins) {
        RealVector weights = point.getSubVector(0, rows.width());
        double sum = 0.5 * weights.dotProduct(weights);
        for (int i = 0; i < margins.length; i++) {
            double z = signs[i] * margins[i];
            sum += costs[i] * (Math.max(0, -z) + Math.log1p(Math.exp(-Math.abs(z))));
        }
        return sum;
    }

    /** Returns the derivative of each row's loss by its margin, shape (n). At the minimum the weights are minus the rows times these. */
    double[] slopes(double[] margins) {
        double[] slopes = new double[margins.length];
        for (int i = 0; i < slopes.length; i++) {
            slopes[i] = -costs[i] * signs[i] * LogisticRegression.sigmoid(-signs[i] * margins[i]);
        }
        return slopes;
    }

    /** Returns the regularisation's part (the point, its intercept times a factor) plus the rows times the scales. */
    private RealVector weighted(RealVector point, double interceptFactor, double[] scales) {
        double[] sum = point.toArray();
        sum[rows.width()] *= interceptFactor;
        rows.addTo(sum, scales);
        return new ArrayRealVector(sum, false);
    }

    /** Second derivative of each row's loss by its margin, shape (n). */
    private double[] curvatures(double[] margins) {
        return IntStream.range(0, margins.length)
                .mapToDouble(i ->
                        costs[i] * LogisticRegression.sigmoid(margins[i]) * LogisticRegression.sigmoid(-margins[i]))
                .toArray();
    }

    /** Solves H d = -g by conjugate gradients, with a tolerance that shrinks with the gradient. */
    private RealVector newtonDirection(RealVector gradient, double[] curvatures) {
        RealLinearOperator hessian = new RealLinearOperator() {
            @Override
            public int getRowDimension() {
                return rows.width() + 1;
            }

            @Override
            public int getColumnDimension() {
                return rows.width() + 1;
            }

            @Override
            public RealVector operate(RealVector vector) {
                double[] scales = rows.times(vector.toArray());
                for (int i = 0; i < scales.length; i++) {
                    scales[i] *= curvatures[i];
                }
                return weighted(vector, INTERCEPT_CURVATURE, scales);
            }
        };
        double tolerance = Math.min(0.1, Math.sqrt(gradient.getNorm()));
        return new ConjugateGradient(10 * (rows.width() + 1), tolerance, false)
                .solve(hessian, preconditioner, gradient.mapMultiply(-1));
    }
}
