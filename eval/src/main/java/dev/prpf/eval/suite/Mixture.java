package dev.prpf.eval.suite;

/**
 * How several gates' scores become one, fitted on inner scores: each gate's log-odds are brought to mean 0 and deviation 1 there, then
 * averaged with equal weights. Equal weights were chosen over fitted ones on inner scores (docs/SUITES.md).
 */
record Mixture(double[] means, double[] deviations) {
    private static final double CLOSEST = 1e-9;

    /**
     * The scales of these scores.
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
        return new Mixture(means, deviations);
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
                mixed[i] += (logOdds(scores[gate][i]) - means[gate]) / deviations[gate] / scores.length;
            }
        }
        return mixed;
    }

    private static double logOdds(double probability) {
        double p = Math.min(Math.max(probability, CLOSEST), 1 - CLOSEST);
        return Math.log(p / (1 - p));
    }
}
