package dev.prpf.eval.score;

import dev.prpf.base.statistics.Interval;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * Percentile bootstrap over samples. Samples are drawn with replacement; a draw in which a figure has an empty denominator is left out
 * of that figure's percentiles. The same seed gives the same intervals.
 *
 * @param resamples number of draws
 * @param seed of the generator
 * @param level confidence in percent
 */
public record Bootstrap(int resamples, long seed, double level) {
    /** 2,000 draws, seed 42, 95 percent. */
    public static final Bootstrap DEFAULT = new Bootstrap(2_000, 42, 95);

    public Bootstrap {
        if (resamples < 1) {
            throw new IllegalArgumentException("resamples = " + resamples + ", must be at least 1");
        }
        if (!(level > 0 && level < 100)) {
            throw new IllegalArgumentException("level = " + level + ", must lie between 0 and 100 percent");
        }
    }

    /** One interval a figure; a figure that does not exist has none. */
    public Map<Figure, Interval> intervals(List<SampleScore> scores) {
        if (scores.isEmpty()) {
            return Map.of();
        }
        List<Tally> tallies = Arrays.stream(Figure.values())
                .map(figure -> new Tally(figure, scores))
                .toList();
        RandomGenerator random = new Well19937c(seed);
        int[] times = new int[scores.size()];
        for (int resample = 0; resample < resamples; resample++) {
            Arrays.fill(times, 0);
            for (int i = 0; i < times.length; i++) {
                times[random.nextInt(times.length)]++;
            }
            tallies.forEach(tally -> tally.draw(times));
        }
        Map<Figure, Interval> intervals = new EnumMap<>(Figure.class);
        for (Tally tally : tallies) {
            if (tally.existing > 0) {
                intervals.put(tally.figure, interval(Arrays.copyOf(tally.estimates, tally.existing)));
            }
        }
        return Collections.unmodifiableMap(intervals);
    }

    /**
     * The interval of a mean, of differences say: one value a sample.
     *
     * @param values at least one
     */
    Interval ofMean(double[] values) {
        RandomGenerator random = new Well19937c(seed);
        double[] estimates = new double[resamples];
        for (int resample = 0; resample < resamples; resample++) {
            double sum = 0;
            for (int i = 0; i < values.length; i++) {
                sum += values[random.nextInt(values.length)];
            }
            estimates[resample] = sum / values.length;
        }
        return interval(estimates);
    }

    /** One figure over the draws. */
    private final class Tally {
        final Figure figure;
        final boolean[] counted;
        final double[] values;
        final double[] estimates = new double[resamples];
        int existing;

        Tally(Figure figure, List<SampleScore> scores) {
            this.figure = figure;
            counted = new boolean[scores.size()];
            values = new double[scores.size()];
            for (int i = 0; i < values.length; i++) {
                counted[i] = figure.counts(scores.get(i));
                values[i] = counted[i] ? figure.value(scores.get(i)) : 0;
            }
        }

        /** Adds the figure of a draw in which sample i stands times[i] times, where it exists. */
        void draw(int[] times) {
            double numerator = 0;
            int denominator = 0;
            for (int i = 0; i < times.length; i++) {
                numerator += times[i] * values[i];
                denominator += counted[i] ? times[i] : 0;
            }
            if (denominator > 0) {
                estimates[existing++] = 100 * numerator / denominator;
            }
        }
    }

    private Interval interval(double[] estimates) {
        Percentile percentile = new Percentile();
        percentile.setData(estimates);
        double tail = (100 - level) / 2;
        return new Interval(percentile.evaluate(tail), percentile.evaluate(100 - tail));
    }
}
