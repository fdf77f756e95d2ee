package dev.prpf.mpp.ensemble;

import dev.prpf.mpp.gate.RocCurve;
import java.util.Arrays;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.util.MathArrays;

/**
 * A weighted mean of several gates' scores, fitted on inner scores. Each gate's log-odds are standardised there to mean 0 and standard
 * deviation 1; the weights sum to 1. Scores are probabilities, shape (gates, points); labels have shape (points).
 */
public record ScoreEnsemble(double[] means, double[] standardDeviations, double[] weights) {
    private static final double CLOSEST = 1e-9;
    private static final double[] CHOICES = {1, 0.5, 0};

    /** Fits an ensemble on inner scores and their labels. */
    @FunctionalInterface
    public interface Rule {
        ScoreEnsemble fit(double[][] scores, boolean[] labels);
    }

    /** Fits the ensemble with equal weights. */
    public static ScoreEnsemble equal(double[][] scores) {
        double[] means = new double[scores.length];
        double[] standardDeviations = new double[scores.length];
        for (int gate = 0; gate < scores.length; gate++) {
            double[] logOdds =
                    Arrays.stream(scores[gate]).map(ScoreEnsemble::logOdds).toArray();
            means[gate] = StatUtils.mean(logOdds);
            double variance = StatUtils.populationVariance(logOdds);
            standardDeviations[gate] = variance > CLOSEST ? Math.sqrt(variance) : 1; // a constant gate adds nothing
        }
        double[] weights = new double[scores.length];
        Arrays.fill(weights, 1.0 / scores.length);
        return new ScoreEnsemble(means, standardDeviations, weights);
    }

    /**
     * Fits the weights with the largest area under the ROC curve on these scores. Each weight is 1, a half or 0 before normalisation. Among
     * equal areas the most even weights, which are tried first, win.
     */
    public static ScoreEnsemble weighted(double[][] scores, boolean[] labels) {
        ScoreEnsemble best = equal(scores);
        double area = area(best, scores, labels);
        for (int code = 1; code < Math.pow(CHOICES.length, scores.length) - 1; code++) { // the last is all 0
            ScoreEnsemble other = new ScoreEnsemble(best.means, best.standardDeviations, weights(code, scores.length));
            double others = area(other, scores, labels);
            if (others > area + CLOSEST) {
                best = other;
                area = others;
            }
        }
        return best;
    }

    private static double area(ScoreEnsemble ensemble, double[][] scores, boolean[] labels) {
        Double area = RocCurve.area(ensemble.apply(scores), labels);
        return area == null ? 0 : area;
    }

    /** Decodes base-3 digits into a weight for each gate. */
    private static double[] weights(int code, int gates) {
        double[] weights = new double[gates];
        for (int gate = 0, rest = code; gate < gates; gate++, rest /= CHOICES.length) {
            weights[gate] = CHOICES[rest % CHOICES.length];
        }
        return MathArrays.normalizeArray(weights, 1);
    }

    /** Returns one score for each point; a higher score means more likely, but it is not a probability. */
    public double[] apply(double[][] scores) {
        double[] sums = new double[scores[0].length];
        for (int gate = 0; gate < scores.length; gate++) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += weights[gate] * (logOdds(scores[gate][i]) - means[gate]) / standardDeviations[gate];
            }
        }
        return sums;
    }

    /** ln(p / (1 - p)), with p clipped to [1e-9, 1 - 1e-9]. */
    static double logOdds(double probability) {
        double p = Math.min(Math.max(probability, CLOSEST), 1 - CLOSEST);
        return Math.log(p / (1 - p));
    }
}
