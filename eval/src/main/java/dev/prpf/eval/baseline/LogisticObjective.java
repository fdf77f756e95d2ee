package dev.prpf.eval.baseline;

import java.util.List;

/** The objective of {@link LogisticRegression} and its minimum by truncated Newton: conjugate gradients, then a halving line search. */
final class LogisticObjective {
    private static final double GRADIENT_TOLERANCE = 1e-8;
    private static final int NEWTON_STEPS = 200;
    private static final double SUFFICIENT_DECREASE = 1e-4;

    private final List<SparseVector> rows;
    private final double[] signs;
    private final double[] costs;
    private final int width;

    LogisticObjective(List<SparseVector> rows, boolean[] labels, double[] costs, int width) {
        this.rows = rows;
        this.costs = costs;
        this.width = width;
        signs = new double[labels.length];
        for (int i = 0; i < labels.length; i++) {
            signs[i] = labels[i] ? 1 : -1;
        }
    }

    static double sigmoid(double z) {
        return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
    }

    /** The weights, then the intercept; length width + 1. */
    double[] minimum() {
        double[] point = new double[width + 1];
        for (int step = 0; step < NEWTON_STEPS; step++) {
            double[] margins = margins(point);
            double[] gradient = gradient(point, margins);
            double norm = Math.sqrt(dot(gradient, gradient));
            if (norm < GRADIENT_TOLERANCE) {
                return point;
            }
            double[] direction = newtonDirection(gradient, curvatures(margins), norm);
            double[] next = lineSearch(point, direction, value(point, margins), dot(gradient, direction));
            if (next == point) {
                return point; // no decrease representable in double precision is left
            }
            point = next;
        }
        return point;
    }

    private double[] lineSearch(double[] point, double[] direction, double value, double slope) {
        for (double length = 1; length > 1e-10; length /= 2) {
            double[] trial = point.clone();
            add(trial, direction, length);
            if (value(trial, margins(trial)) <= value + SUFFICIENT_DECREASE * length * slope) {
                return trial;
            }
        }
        return point;
    }

    /** w'x_i + b for each row, shape (n). */
    private double[] margins(double[] point) {
        double[] margins = new double[signs.length];
        for (int i = 0; i < margins.length; i++) {
            margins[i] = rows.get(i).dot(point) + point[width];
        }
        return margins;
    }

    private double value(double[] point, double[] margins) {
        double sum = 0;
        for (int j = 0; j < width; j++) {
            sum += 0.5 * point[j] * point[j];
        }
        for (int i = 0; i < margins.length; i++) {
            double z = signs[i] * margins[i];
            sum += costs[i] * (Math.max(0, -z) + Math.log1p(Math.exp(-Math.abs(z))));
        }
        return sum;
    }

    private double[] gradient(double[] point, double[] margins) {
        double[] gradient = point.clone();
        gradient[width] = 0;
        for (int i = 0; i < margins.length; i++) {
            double slope = -costs[i] * signs[i] * sigmoid(-signs[i] * margins[i]);
            rows.get(i).addTo(gradient, slope);
            gradient[width] += slope;
        }
        return gradient;
    }

    /** Second derivative of each row's loss by its margin, shape (n). */
    private double[] curvatures(double[] margins) {
        double[] curvatures = new double[margins.length];
        for (int i = 0; i < margins.length; i++) {
            double p = sigmoid(margins[i]);
            curvatures[i] = costs[i] * p * (1 - p);
        }
        return curvatures;
    }

    private double[] hessianTimes(double[] vector, double[] curvatures) {
        double[] product = vector.clone();
        product[width] = 1e-12 * vector[width]; // keeps the free intercept's curvature above 0
        for (int i = 0; i < curvatures.length; i++) {
            double scale = curvatures[i] * (rows.get(i).dot(vector) + vector[width]);
            rows.get(i).addTo(product, scale);
            product[width] += scale;
        }
        return product;
    }

    /** Solves H d = -g by conjugate gradients, the more exactly the smaller the gradient. */
    private double[] newtonDirection(double[] gradient, double[] curvatures, double norm) {
        double[] direction = new double[width + 1];
        double[] residual = new double[width + 1];
        add(residual, gradient, -1);
        double[] conjugate = residual.clone();
        double square = dot(residual, residual);
        double tolerance = Math.min(0.1, Math.sqrt(norm)) * norm;
        for (int k = 0; k < 10 * (width + 1) && Math.sqrt(square) > tolerance; k++) {
            double[] image = hessianTimes(conjugate, curvatures);
            double length = square / dot(conjugate, image);
            add(direction, conjugate, length);
            add(residual, image, -length);
            double nextSquare = dot(residual, residual);
            for (int j = 0; j < conjugate.length; j++) {
                conjugate[j] = residual[j] + nextSquare / square * conjugate[j];
            }
            square = nextSquare;
        }
        return direction;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int j = 0; j < a.length; j++) {
            sum += a[j] * b[j];
        }
        return sum;
    }

    private static void add(double[] target, double[] vector, double scale) {
        for (int j = 0; j < target.length; j++) {
            target[j] += scale * vector[j];
        }
    }
}
