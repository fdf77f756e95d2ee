package dev.prpf.par.bench;

import org.apache.commons.math3.stat.StatUtils;
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
        return values.length == 0
                ? null
                : new Spread(StatUtils.percentile(values, 50), StatUtils.min(values), StatUtils.max(values));
    }
}
