package dev.prpf.eval.baseline;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import java.util.Arrays;
import java.util.List;

/**
 * L2-regularised logistic regression, {@code 1/2 w'w + C sum_i s_i ln(1 + exp(-y_i (w'x_i + b)))} with the intercept b free: the
 * objective of scikit-learn's LogisticRegression, solved by Newton's method to a gradient of 1e-8.
 *
 * @param weights one a column
 * @param intercept b
 */
public record LogisticRegression(double[] weights, double intercept) {
    /**
     * How strongly to fit.
     *
     * @param c inverse strength of the regularisation, above 0
     * @param balanced whether each class weighs the same in sum (s_i = n / (2 n_class)), else s_i = 1
     */
    public record Settings(double c, boolean balanced) {
        public Settings {
            Rule.require(c > 0, "c", c, "above 0");
        }
    }

    /**
     * Fits the model.
     *
     * @throws PrpfException 65 if the numbers of rows and labels differ or a class is missing
     */
    public static LogisticRegression fit(List<SparseVector> rows, boolean[] labels, Settings settings) {
        int positives = ClassCounts.positives(rows.size(), labels);
        int width = rows.stream().mapToInt(SparseVector::width).max().orElse(0);
        double[] costs = new double[labels.length];
        for (int i = 0; i < labels.length; i++) {
            int classSize = labels[i] ? positives : labels.length - positives;
            costs[i] = settings.c() * (settings.balanced() ? labels.length / (2.0 * classSize) : 1);
        }
        double[] solution = new LogisticObjective(rows, labels, costs, width).minimum();
        return new LogisticRegression(Arrays.copyOf(solution, width), solution[width]);
    }

    /** P(label = true | row). Columns never seen in training count nothing. */
    public double predictProbability(SparseVector row) {
        return LogisticObjective.sigmoid(row.dot(weights) + intercept);
    }
}
