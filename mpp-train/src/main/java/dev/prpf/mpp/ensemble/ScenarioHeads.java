package dev.prpf.mpp.ensemble;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One-vs-rest regressions that predict the scenarios in an ensemble without a perceiver.
 *
 * @param regressions in the catalogue's order; the intercepts include the training log-odds, which balanced classes remove, so that scenarios
 *     can be ranked
 */
record ScenarioHeads(List<LogisticRegression> regressions) {
    /**
     * Trains one regression per scenario. A scenario that all or no training samples have gets the constant (k + 1) / (n + 2).
     *
     * @param labels multi-hot, shape (training, S)
     */
    static ScenarioHeads train(DesignRows rows, int width, boolean[][] labels, double c) {
        return new ScenarioHeads(IntStream.range(0, labels[0].length)
                .mapToObj(scenario -> {
                    boolean[] has = new boolean[labels.length];
                    IntStream.range(0, has.length).forEach(i -> has[i] = labels[i][scenario]);
                    return head(rows, width, has, c);
                })
                .toList());
    }

    private static LogisticRegression head(DesignRows rows, int width, boolean[] has, double c) {
        long n = has.length;
        long positives = IntStream.range(0, has.length).filter(i -> has[i]).count();
        if (positives == 0 || positives == n) {
            return new LogisticRegression(new double[width], Math.log((positives + 1.0) / (n - positives + 1.0)));
        }
        LogisticRegression balanced = rows.fit(has, c).get(0);
        double prior = Math.log((double) positives / (n - positives));
        return new LogisticRegression(balanced.weights(), balanced.intercept() + prior);
    }

    /** Log-odds of each scenario, shape (n, S). */
    double[][] logits(DesignRows rows) {
        double[][] byScenario = regressions.stream().map(rows::probabilities).toArray(double[][]::new); // (S, n)
        return IntStream.range(0, byScenario[0].length)
                .mapToObj(i -> Arrays.stream(byScenario)
                        .mapToDouble(scenario -> ScoreEnsemble.logOdds(scenario[i]))
                        .toArray())
                .toArray(double[][]::new);
    }
}
