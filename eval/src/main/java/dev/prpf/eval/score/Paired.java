package dev.prpf.eval.score;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.Means;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The difference of two means over the same samples.
 *
 * @param n samples that count
 * @param first the first mean
 * @param second the second mean
 * @param difference second less first
 * @param interval of the difference: sources of samples are drawn with replacement, each with both of its values
 */
public record Paired(int n, double first, double second, double difference, Interval interval) {

    /**
     * Compares.
     *
     * @param sources of the samples, shape (n)
     * @param first a value a sample, shape (n); NaN where the sample does not count
     * @param second the same, NaN where the first is
     * @return null where no sample counts
     */
    public static @Nullable Paired of(Bootstrap bootstrap, long[] sources, double[] first, double[] second) {
        int[] counted = IntStream.range(0, first.length)
                .filter(i -> !Double.isNaN(first[i]))
                .toArray();
        if (counted.length == 0) {
            return null;
        }
        Means means = Means.of(IntStream.of(counted).mapToLong(i -> sources[i]).toArray(), k ->
                new double[] {first[counted[k]], second[counted[k]], second[counted[k]] - first[counted[k]]});
        double[] values = means.values();
        Interval interval =
                bootstrap.ofMeans(means, drawn -> new double[] {drawn[2]}).get(0);
        return new Paired(
                counted.length, values[0], values[1], values[1] - values[0], Objects.requireNonNull(interval));
    }
}
