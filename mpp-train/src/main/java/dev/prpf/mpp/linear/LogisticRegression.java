package dev.prpf.mpp.linear;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.ConjugateGradient;
import org.apache.commons.math3.linear.RealLinearOperator;
import org.apache.commons.math3.linear.RealVector;

/**
 * L2-regularised logistic regression, {@code 1/2 w'w + C sum_i s_i ln(1 + exp(-y_i (w'x_i + b)))} with the intercept b free and s_i =
 * n / (2 n_class), so that each class weighs the same: the objective of scikit-learn's LogisticRegression with {@code
 * class_weight="balanced"}, solved by Newton's method to a gradient of 1e-8.
 *
 * @param weights one a column
 * @param intercept b
 */
public record LogisticRegression(double[] weights, double intercept) {
    /**
     * Fits the model.
     *
     * @param c inverse strength of the regularisation, above 0
     * @throws PrpfException 65 if the numbers of rows and labels differ or a class is missing
     */
    public static LogisticRegression fit(List<SparseVector> rows, boolean[] labels, double c) {
        Rule.require(c > 0, "c", c, "above 0");
        int positives = positives(rows.size(), labels);
        int width = rows.stream().mapToInt(SparseVector::width).max().orElse(0);
        double[] costs = new double[labels.length];
        for (int i = 0; i < labels.length; i++) {
            int classSize = labels[i] ? positives : labels.length - positives;
            costs[i] = c * (labels.length / (2.0 * classSize));
        }
        double[] solution = new Objective(rows, labels, costs, width).minimum();
        return new LogisticRegression(Arrays.copyOf(solution, width), solution[width]);
    }

    /** P(label = true | row). Columns never seen in training count nothing. */
    public double predictProbability(SparseVector row) {
        return sigmoid(row.dot(weights) + intercept);
    }

    static double sigmoid(double z) {
        return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
    }

    /** Number of positive labels; both classes must occur and there must be one label a row. */
    static int positives(int rows, boolean[] labels) {
        if (rows != labels.length) {
            throw new InvalidDataException("classifier: rows = " + rows + ", labels = " + labels.length
                    + ", must be equal; give one label a row");
        }
        int positives = (int) IntStream.range(0, rows).filter(i -> labels[i]).count();
        if (positives == 0 || positives == labels.length) {
            throw new InvalidDataException("classifier: " + positives + " of " + labels.length
                    + " labels are positive, both classes must occur; give training rows of the other class");
        }
        return positives;
    }

    /** The objective and its minimum by truncated Newton: conjugate gradients, then a halving line search. */
    private static final class Objective {
        private static final double GRADIENT_TOLERANCE = 1e-8;
        private static final int NEWTON_STEPS = 200;
        private static final double SUFFICIENT_DECREASE = 1e-4;

        private final List<SparseVector> rows;
        private final double[] signs;
        private final double[] costs;
        private final int width;

        Objective(List<SparseVector> rows, boolean[] labels, double[] costs, int width) {
            this.rows = rows;
            this.costs = costs;
            this.width = width;
            signs = IntStream.range(0, labels.length)
                    .mapToDouble(i -> labels[i] ? 1 : -1)
                    .toArray();
        }

        /** The weights, then the intercept; length width + 1. */
        double[] minimum() {
            RealVector point = new ArrayRealVector(width + 1);
            for (int step = 0; step < NEWTON_STEPS; step++) {
                double[] margins = margins(point);
                RealVector gradient = gradient(point, margins);
                if (gradient.getNorm() < GRADIENT_TOLERANCE) {
                    break;
                }
                RealVector direction = newtonDirection(gradient, curvatures(margins));
                RealVector next = lineSearch(point, direction, value(point, margins), gradient.dotProduct(direction));
                if (next.equals(point)) {
                    break; // no decrease representable in double precision is left
                }
                point = next;
            }
            return point.toArray();
        }

        private RealVector lineSearch(RealVector point, RealVector direction, double value, double slope) {
            for (double length = 1; length > 1e-10; length /= 2) {
                RealVector trial = point.combine(1, length, direction);
                if (value(trial, margins(trial)) <= value + SUFFICIENT_DECREASE * length * slope) {
                    return trial;
                }
            }
            return point;
        }

        /** w'x_i + b for each row, shape (n). */
        private double[] margins(RealVector point) {
            double[] weights = point.toArray();
            return rows.stream()
                    .mapToDouble(row -> row.dot(weights) + weights[width])
                    .toArray();
        }

        private double value(RealVector point, double[] margins) {
            RealVector weights = point.getSubVector(0, width);
            double sum = 0.5 * weights.dotProduct(weights);
            for (int i = 0; i < margins.length; i++) {
                double z = signs[i] * margins[i];
                sum += costs[i] * (Math.max(0, -z) + Math.log1p(Math.exp(-Math.abs(z))));
            }
            return sum;
        }

        private RealVector gradient(RealVector point, double[] margins) {
            double[] slopes = new double[margins.length];
            for (int i = 0; i < slopes.length; i++) {
                slopes[i] = -costs[i] * signs[i] * sigmoid(-signs[i] * margins[i]);
            }
            return weighted(point, 0, slopes);
        }

        /** The regularisation's part, the point with its intercept times a factor, and the rows (with a 1 behind them) times the scales. */
        private RealVector weighted(RealVector point, double interceptFactor, double[] scales) {
            double[] sum = point.toArray();
            sum[width] *= interceptFactor;
            for (int i = 0; i < scales.length; i++) {
                rows.get(i).addTo(sum, scales[i]);
                sum[width] += scales[i];
            }
            return new ArrayRealVector(sum, false);
        }

        /** Second derivative of each row's loss by its margin, shape (n). */
        private double[] curvatures(double[] margins) {
            return IntStream.range(0, margins.length)
                    .mapToDouble(i -> costs[i] * sigmoid(margins[i]) * sigmoid(-margins[i]))
                    .toArray();
        }

        /** Solves H d = -g by conjugate gradients, the more exactly the smaller the gradient. */
        private RealVector newtonDirection(RealVector gradient, double[] curvatures) {
            RealLinearOperator hessian = new RealLinearOperator() {
                @Override
                public int getRowDimension() {
                    return width + 1;
                }

                @Override
                public int getColumnDimension() {
                    return width + 1;
                }

                @Override
                public RealVector operate(RealVector vector) {
                    double[] scales = margins(vector);
                    for (int i = 0; i < scales.length; i++) {
                        scales[i] *= curvatures[i];
                    }
                    return weighted(vector, 1e-12, scales); // which keeps the free intercept's curvature above 0
                }
            };
            double tolerance = Math.min(0.1, Math.sqrt(gradient.getNorm()));
            return new ConjugateGradient(10 * (width + 1), tolerance, false).solve(hessian, gradient.mapMultiply(-1));
        }
    }
}
