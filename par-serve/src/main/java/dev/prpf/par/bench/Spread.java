package dev.prpf.par.bench;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A metric that was measured several times.
 *
 * @param median of the rounds
 * @param min the lowest
 * @param max the highest
 */
public record Spread(double median, double min, double max) {
    /** Of the values of all rounds; null where there are none. */
    static @Nullable Spread of(double... values) {
        if (values.length == 0) {
            return null;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        return new Spread((sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]);
    }
}
