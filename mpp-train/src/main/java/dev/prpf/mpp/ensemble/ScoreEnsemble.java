package dev.prpf.mpp.ensemble;

import dev.prpf.mpp.gate.RocCurve;
import java.util.Arrays;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.util.MathArrays;

/**
 * Several gates' scores as one, fitted on inner scores: each gate's log-odds are brought to mean 0 and standard deviation 1 there, then
 * averaged with weights that add up to 1. Scores are probabilities, shape (gates, points); labels are one a point.
 */
public record ScoreEnsemble(double[] means, double[] standardDeviations, double[] weights) {
    private static final double CLOSEST = 1e-9;
    private static final double[] CHOICES = {1, 0.5, 0};

    /** How an ensemble follows from inner scores and their labels. */
    @FunctionalInterface
    public interface Rule {
        ScoreEnsemble fit(double[][] scores, boolean[] labels);
    }

    /** Equal weights. */
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
     * The weights of the largest area under the ROC curve on these scores. Each gate's is 1, a half or 0 before they are divided by their sum;
     * of equal areas the first counts, whose weights are the more even ones.
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

    /** The digits of the code choose a weight for each gate. */
    private static double[] weights(int code, int gates) {
        double[] weights = new double[gates];
        for (int gate = 0, rest = code; gate < gates; gate++, rest /= CHOICES.length) {
            weights[gate] = CHOICES[rest % CHOICES.length];
        }
        return MathArrays.normalizeArray(weights, 1);
    }

    /** One score a point, not a probability; the higher the likelier. */
    public double[] apply(double[][] scores) {
        double[] sums = new double[scores[0].length];
        for (int gate = 0; gate < scores.length; gate++) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += weights[gate] * (logOdds(scores[gate][i]) - means[gate]) / standardDeviations[gate];
            }
        }
        return sums;
    }

    /** ln(p / (1 - p)), p kept 1e-9 away from 0 and 1. */
    static double logOdds(double probability) {
        double p = Math.min(Math.max(probability, CLOSEST), 1 - CLOSEST);
        return Math.log(p / (1 - p));
    }
}
