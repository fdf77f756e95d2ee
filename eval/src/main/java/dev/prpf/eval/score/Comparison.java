package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Two sets of predictions of the same samples, metric by metric; what {@code eval compare --json} prints.
 *
 * @param n samples
 * @param resamples draws behind the intervals
 * @param seed of the draws
 * @param rows by the metric's key; null where no sample counts
 */
public record Comparison(int n, int resamples, long seed, @JsonAnyGetter Map<String, @Nullable Row> rows) {
    public Comparison {
        rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
    }

    /**
     * One metric.
     *
     * @param n samples that it counts
     * @param before of the first predictions
     * @param after of the second ones
     * @param difference after less before
     * @param interval of the difference: samples are drawn with replacement, each with both of its predictions
     */
    public record Row(int n, double before, double after, double difference, @JsonProperty("ci") Interval interval) {
        /**
         * Of the values of samples.
         *
         * @param before one a sample
         * @param after of the same samples
         * @return null if there are none
         */
        static @Nullable Row of(double[] before, double[] after, Bootstrap bootstrap) {
            int n = before.length;
            if (n == 0) {
                return null;
            }
            Interval interval = bootstrap
                    .ofSamples(n, times -> {
                        double sum = 0;
                        for (int i = 0; i < n; i++) {
                            sum += times[i] * (after[i] - before[i]);
                        }
                        return new double[] {sum / n};
                    })
                    .get(0);
            double first = Arrays.stream(before).sum() / n;
            double second = Arrays.stream(after).sum() / n;
            return new Row(n, first, second, second - first, Objects.requireNonNull(interval));
        }
    }
}
