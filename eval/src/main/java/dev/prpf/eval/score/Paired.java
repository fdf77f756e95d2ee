package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.Means;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The difference of two means over the same samples.
 *
 * @param n number of samples counted on both sides
 * @param first the first mean
 * @param second the second mean
 * @param difference second minus first
 * @param interval interval of the difference, from paired draws of sources with replacement; null with one source, or if no draw
 *     has a counted sample
 */
public record Paired(int n, double first, double second, double difference, @Nullable Interval interval) {

    /**
     * Compares several values of the same samples, on the same draws. Shapes: S values, n samples, n at least 1.
     *
     * @param sources of the samples, shape (n)
     * @param first values, shape (S, n); NaN where the sample does not count
     * @param second the values of another system; a sample counts if both values exist
     * @return one result per value; null if no sample counts
     */
    public static List<@Nullable Paired> of(
            Bootstrap bootstrap, long[] sources, List<double[]> first, List<double[]> second) {
        double[][] differences = new double[sources.length][first.size()];
        for (int i = 0; i < sources.length; i++) {
            for (int s = 0; s < first.size(); s++) {
                differences[i][s] = second.get(s)[i] - first.get(s)[i];
            }
        }
        List<@Nullable Interval> intervals = bootstrap.ofMeans(Means.of(sources, i -> differences[i]));
        List<@Nullable Paired> pairs = new ArrayList<>();
        for (int s = 0; s < first.size(); s++) {
            pairs.add(of(first.get(s), second.get(s), intervals.get(s)));
        }
        return Collections.unmodifiableList(pairs);
    }

    private static @Nullable Paired of(double[] first, double[] second, @Nullable Interval interval) {
        int[] counted = IntStream.range(0, first.length)
                .filter(i -> !Double.isNaN(first[i]) && !Double.isNaN(second[i]))
                .toArray();
        if (counted.length == 0) {
            return null;
        }
        double before = mean(first, counted);
        double after = mean(second, counted);
        return new Paired(counted.length, before, after, after - before, interval);
    }

    private static double mean(double[] values, int[] counted) {
        return IntStream.of(counted).mapToDouble(i -> values[i]).sum() / counted.length;
    }
}
