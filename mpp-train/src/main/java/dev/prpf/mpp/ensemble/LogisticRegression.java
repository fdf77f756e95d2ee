package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
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
}
