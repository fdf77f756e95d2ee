package dev.prpf.base.statistics;

import dev.prpf.base.config.Rule;
import org.apache.commons.math3.distribution.BetaDistribution;

/**
 * Exact confidence bounds of a binomial proportion (Clopper and Pearson, Biometrika 26, 1934): quantiles of the beta distribution.
 * Coverage is at least the level, whatever the proportion and however few the trials. Shares are from 0 to 1. Successes may be a
 * fraction: the mean of clusters that count as one trial each (Korn and Graubard, Survey Methodology 24, 1998).
 */
public final class ClopperPearson {
    private ClopperPearson() {}

    /**
     * Returns the upper bound of the share; it is too low with a probability of at most {@code error}.
     *
     * @param successes 0 to trials
     * @param trials at least 1
     * @param error in (0, 1)
     */
    public static double upper(double successes, long trials, double error) {
        require(successes, trials, error);
        return successes == trials ? 1 : beta(successes + 1, trials - successes, 1 - error);
    }

    /** Returns the lower bound of the share; it is too high with a probability of at most {@code error}. */
    public static double lower(double successes, long trials, double error) {
        require(successes, trials, error);
        return successes == 0 ? 0 : beta(successes, trials - successes + 1, error);
    }

    /**
     * Returns the two-sided interval, in percent.
     *
     * @param level confidence in percent, such as 95
     */
    public static Interval interval(double successes, long trials, double level) {
        double error = (1 - level / 100) / 2;
        return new Interval(100 * lower(successes, trials, error), 100 * upper(successes, trials, error));
    }

    private static double beta(double alpha, double beta, double probability) {
        return new BetaDistribution(null, alpha, beta).inverseCumulativeProbability(probability);
    }

    private static void require(double successes, long trials, double error) {
        Rule.require(trials >= 1, "trials", trials, "at least 1");
        Rule.require(successes >= 0 && successes <= trials, "successes", successes, "0 to trials, " + trials);
        Rule.require(error > 0 && error < 1, "error", error, "in (0, 1)");
    }
}
