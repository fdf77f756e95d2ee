package dev.prpf.eval.suite;

import dev.prpf.mpp.gate.RocCurve;
import java.util.Arrays;

/**
 * How several gates' scores become one, fitted on inner scores: each gate's log-odds are brought to mean 0 and deviation 1 there, then
 * averaged with weights that add up to 1.
 *
 * @param means of log-odds, one a gate
 * @param deviations of log-odds, one a gate
 * @param weights one a gate
 */
record Mixture(double[] means, double[] deviations, double[] weights) {
    private static final double CLOSEST = 1e-9;
    private static final double[] CHOICES = {1, 0.5, 0};

    /** How a mixture follows from inner scores, shape (gates, points), and their labels. */
    @FunctionalInterface
    interface Rule {
        Mixture mixture(double[][] scores, boolean[] labels);
    }

    /**
     * Equal weights.
     *
     * @param scores probabilities, shape (gates, points)
     */
    static Mixture fit(double[][] scores) {
        double[] means = new double[scores.length];
        double[] deviations = new double[scores.length];
        for (int gate = 0; gate < scores.length; gate++) {
            double sum = 0;
            double squares = 0;
            for (double score : scores[gate]) {
                double z = logOdds(score);
                sum += z;
                squares += z * z;
            }
            means[gate] = sum / scores[gate].length;
            double variance = squares / scores[gate].length - means[gate] * means[gate];
            deviations[gate] = variance > CLOSEST ? Math.sqrt(variance) : 1; // a constant gate adds nothing
        }
        double[] weights = new double[scores.length];
        Arrays.fill(weights, 1.0 / scores.length);
        return new Mixture(means, deviations, weights);
    }

    /**
     * The weights of the largest area under the ROC curve here, each gate's 1, a half or 0 before they are made to add up to 1; of equal
     * areas those first met, the more even ones.
     *
     * @param scores probabilities, shape (gates, points)
     * @param labels one a point
     */
    static Mixture chosen(double[][] scores, boolean[] labels) {
        Mixture best = fit(scores);
        double area = area(best, scores, labels);
        for (int code = 1; code < Math.pow(CHOICES.length, scores.length) - 1; code++) { // the last is all 0
            Mixture other = new Mixture(best.means, best.deviations, weights(code, scores.length));
            double others = area(other, scores, labels);
            if (others > area + CLOSEST) {
                best = other;
                area = others;
            }
        }
        return best;
    }

    private static double area(Mixture mixture, double[][] scores, boolean[] labels) {
        Double area = RocCurve.area(mixture.apply(scores), labels);
        return area == null ? 0 : area;
    }

    /** The digits of the code choose a weight for each gate. */
    private static double[] weights(int code, int gates) {
        double[] weights = new double[gates];
        double sum = 0;
        for (int gate = 0, rest = code; gate < gates; gate++, rest /= CHOICES.length) {
            weights[gate] = CHOICES[rest % CHOICES.length];
            sum += weights[gate];
        }
        for (int gate = 0; gate < gates; gate++) {
            weights[gate] /= sum;
        }
        return weights;
    }

    /**
     * One score a point, not a probability; the higher the likelier.
     *
     * @param scores probabilities, shape (gates, points)
     */
    double[] apply(double[][] scores) {
        double[] mixed = new double[scores[0].length];
        for (int gate = 0; gate < scores.length; gate++) {
            for (int i = 0; i < mixed.length; i++) {
                mixed[i] += weights[gate] * (logOdds(scores[gate][i]) - means[gate]) / deviations[gate];
            }
        }
        return mixed;
    }

    private static double logOdds(double probability) {
        double p = Math.min(Math.max(probability, CLOSEST), 1 - CLOSEST);
        return Math.log(p / (1 - p));
    }
}
