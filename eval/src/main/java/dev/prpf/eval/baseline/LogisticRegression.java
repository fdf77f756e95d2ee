package dev.prpf.eval.baseline;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.Arrays;
import java.util.List;

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
        double[] solution = new LogisticObjective(rows, labels, costs, width).minimum();
        return new LogisticRegression(Arrays.copyOf(solution, width), solution[width]);
    }

    /** P(label = true | row). Columns never seen in training count nothing. */
    public double predictProbability(SparseVector row) {
        return LogisticObjective.sigmoid(row.dot(weights) + intercept);
    }

    /** Number of positive labels; both classes must occur and there must be one label a row. */
    static int positives(int rows, boolean[] labels) {
        if (rows != labels.length) {
            throw new InvalidDataException("classifier: rows = " + rows + ", labels = " + labels.length
                    + ", must be equal; give one label a row");
        }
        int positives = 0;
        for (boolean label : labels) {
            positives += label ? 1 : 0;
        }
        if (positives == 0 || positives == labels.length) {
            throw new InvalidDataException("classifier: " + positives + " of " + labels.length
                    + " labels are positive, both classes must occur; give training rows of the other class");
        }
        return positives;
    }
}
