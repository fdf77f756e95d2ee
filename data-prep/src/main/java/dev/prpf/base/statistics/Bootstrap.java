package dev.prpf.base.statistics;

import dev.prpf.base.config.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;
import org.jspecify.annotations.Nullable;

/**
 * Percentile bootstrap (Davison and Hinkley, Bootstrap Methods and their Application, 1997, §5.3). Units are drawn with replacement, as many
 * as there are; the ends of an interval are the (R + 1)α-th order statistics of R estimates, linear between two of them (Hyndman and Fan's
 * type 6). The estimates of one call share the draws, so that a difference between two of them is paired. The same seed gives the same
 * intervals.
 *
 * @param resamples number of draws
 * @param seed of the generator
 * @param level confidence in percent
 */
public record Bootstrap(int resamples, long seed, double level) {
    /** 2,000 draws, seed 42, 95 percent. */
    public static final Bootstrap DEFAULT = new Bootstrap(2_000, 42, 95);

    public Bootstrap {
        Rule.require(resamples >= 1, "resamples", resamples, "at least 1");
        Rule.require(level > 0 && level < 100, "level", level, "between 0 and 100 percent");
    }

    /** What is estimated from a draw. */
    @FunctionalInterface
    public interface Estimator {
        /**
         * The estimates of one draw.
         *
         * @param times how often the draw holds each unit
         * @return as many numbers for every draw; NaN for an estimate that does not exist in this one
         */
        double[] estimate(int[] times);
    }

    /**
     * Intervals of any estimates.
     *
     * @param units how many are drawn from, at least 1: independent samples, or groups of samples that depend on each other
     * @return one interval an estimate; null if it exists in no draw, and for all of one unit, whose draws are all the same. Draws in which
     *     an estimate does not exist are left out
     */
    public List<@Nullable Interval> ofGroups(int units, Estimator estimator) {
        return intervals(units, IntUnaryOperator.identity(), units, estimator);
    }

    /**
     * Intervals of what follows from means: of the means themselves, or of differences between them.
     *
     * @param estimates of the means of a draw; NaN for one that does not exist
     * @return as {@link #ofGroups}
     */
    public List<@Nullable Interval> ofMeans(Means means, UnaryOperator<double[]> estimates) {
        return intervals(means.units(), means::rowOf, means.rows(), times -> estimates.apply(means.values(times)));
    }

    /** @param cellOf counts a unit into one of so many cells; the estimator sees how often a draw holds each cell */
    private List<@Nullable Interval> intervals(int units, IntUnaryOperator cellOf, int cells, Estimator estimator) {
        int[] times = new int[cells];
        List<@Nullable Interval> intervals = new ArrayList<>();
        if (units == 1) {
            times[cellOf.applyAsInt(0)] = 1;
            Arrays.stream(estimator.estimate(times)).forEach(estimate -> intervals.add(null));
            return Collections.unmodifiableList(intervals);
        }
        SplittableRandom random = new SplittableRandom(seed);
        double[][] drawn = new double[resamples][];
        for (int draw = 0; draw < resamples; draw++) {
            Arrays.fill(times, 0);
            for (int i = 0; i < units; i++) {
                times[cellOf.applyAsInt(random.nextInt(units))]++;
            }
            drawn[draw] = estimator.estimate(times);
        }
        for (int e = 0; e < drawn[0].length; e++) {
            int at = e;
            intervals.add(interval(Arrays.stream(drawn)
                    .mapToDouble(estimates -> estimates[at])
                    .filter(Double::isFinite)
                    .toArray()));
        }
        return Collections.unmodifiableList(intervals);
    }

    private @Nullable Interval interval(double[] estimates) {
        if (estimates.length == 0) {
            return null;
        }
        Percentile percentile = new Percentile();
        percentile.setData(estimates);
        double tail = (100 - level) / 2;
        return new Interval(percentile.evaluate(tail), percentile.evaluate(100 - tail));
    }
}
