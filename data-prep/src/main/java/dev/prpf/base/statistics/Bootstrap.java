package dev.prpf.base.statistics;

import dev.prpf.base.config.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;
import org.jspecify.annotations.Nullable;

/**
 * Percentile bootstrap (Davison and Hinkley, Bootstrap Methods and their Application, 1997, §5.3). Each draw takes all units with
 * replacement. Interval ends are the (R + 1)α-th order statistics of R estimates, interpolated linearly (Hyndman and Fan's type
 * 6). The estimates of one call share the draws, so that their differences are paired. Equal seeds give equal intervals.
 *
 * @param resamples number of draws
 * @param seed of the random generator
 * @param level confidence in percent
 */
public record Bootstrap(int resamples, long seed, double level) {
    /** The default settings with 2,000 draws, seed 42 and 95 percent. */
    public static final Bootstrap DEFAULT = new Bootstrap(2_000, 42, 95);

    private static final double ROUNDING = 1e-9;

    public Bootstrap {
        Rule.require(resamples >= 1, "resamples", resamples, "at least 1");
        Rule.require(level > 0 && level < 100, "level", level, "between 0 and 100 percent");
    }

    /** Computes estimates from a draw. */
    @FunctionalInterface
    public interface Estimator {
        /**
         * Computes the estimates of one draw.
         *
         * @param times how often the draw contains each unit
         * @return as many numbers for every draw; NaN for an estimate that does not exist in this one
         */
        double[] estimate(int[] times);
    }

    /**
     * Computes the intervals of estimates.
     *
     * @param units number of units, at least 1: independent samples, or groups of dependent samples
     * @return one interval per estimate; null if no draw has the estimate, or if there is only one unit. Draws without the
     *     estimate are excluded
     */
    public List<@Nullable Interval> ofGroups(int units, Estimator estimator) {
        return intervals(units, IntUnaryOperator.identity(), units, estimator);
    }

    /**
     * Returns the positions of a draw's members.
     *
     * @param groups positions of the members of each unit
     * @param times how often the draw contains each unit
     */
    public static int[] drawn(List<List<Integer>> groups, int[] times) {
        return IntStream.range(0, times.length)
                .flatMap(g -> IntStream.range(0, times[g])
                        .flatMap(time -> groups.get(g).stream().mapToInt(Integer::intValue)))
                .toArray();
    }

    /**
     * Returns the ratios of two sums over a draw, shape (ratios); NaN without a denominator.
     *
     * @param parts numerators of each unit, shape (units, ratios)
     * @param wholes denominators of each unit, shape (units, ratios)
     * @param times how often the draw contains each unit
     */
    public static double[] ratios(double[][] parts, double[][] wholes, int[] times) {
        double[] ratios = new double[parts[0].length];
        for (int i = 0; i < ratios.length; i++) {
            double part = 0;
            double whole = 0;
            for (int unit = 0; unit < times.length; unit++) {
                part += times[unit] * parts[unit][i];
                whole += times[unit] * wholes[unit][i];
            }
            ratios[i] = whole == 0 ? Double.NaN : part / whole;
        }
        return ratios;
    }

    /**
     * Computes the intervals of means.
     *
     * @return as {@link #ofGroups}
     */
    public List<@Nullable Interval> ofMeans(Means means) {
        return intervals(means.units(), means::rowOf, means.rows(), means::values);
    }

    /** Computes the intervals of means of values from 0 to 100, as {@link #ofMeans} and {@link #orExact}. */
    public List<@Nullable Interval> ofShares(Means means) {
        List<@Nullable Interval> intervals = new ArrayList<>(ofMeans(means));
        double[] percent = means.values();
        for (int s = 0; s < percent.length; s++) {
            intervals.set(s, orExact(intervals.get(s), percent[s], means.unitsOf(s)));
        }
        return Collections.unmodifiableList(intervals);
    }

    /**
     * Replaces an interval without width by the exact one ({@link ClopperPearson}), with units as trials. Such an interval means
     * that all units are equal, as in 0 of n, and says nothing of the uncertainty.
     *
     * @param interval of the draws; null remains null
     * @param percent the share, or a mean of values from 0 to 100
     * @param units number of units with counted samples
     */
    public @Nullable Interval orExact(@Nullable Interval interval, @Nullable Double percent, int units) {
        if (interval == null || percent == null || interval.high() - interval.low() > ROUNDING) {
            return interval;
        }
        double successes = units * Math.min(1, percent / 100); // a sum of hundreds may round above
        return ClopperPearson.interval(successes, units, level);
    }

    /** @param cellOf maps a unit to its cell; the estimator receives how often a draw contains each cell */
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
