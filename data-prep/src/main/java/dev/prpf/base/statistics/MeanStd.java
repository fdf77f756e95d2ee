package dev.prpf.base.statistics;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Objects;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;
import org.jspecify.annotations.Nullable;

/**
 * Mean and standard deviation of a metric over runs.
 *
 * @param runs number of runs with the metric
 * @param mean over these runs; null without any
 * @param std sample standard deviation (n - 1); null for fewer than two runs
 * @param interval 95 percent interval of the mean by Student's t; null for fewer than two runs
 */
public record MeanStd(
        int runs, @Nullable Double mean, @Nullable Double std, @JsonProperty("ci") @Nullable Interval interval) {

    /** Returns the statistics of the values that are not null. */
    public static MeanStd of(List<@Nullable Double> values) {
        DescriptiveStatistics statistics = new DescriptiveStatistics();
        values.stream().filter(Objects::nonNull).forEach(value -> statistics.addValue(Objects.requireNonNull(value)));
        int n = (int) statistics.getN();
        if (n < 2) {
            return new MeanStd(n, n == 0 ? null : statistics.getMean(), null, null);
        }
        double mean = statistics.getMean();
        double std = statistics.getStandardDeviation();
        double half = new TDistribution(null, n - 1.0).inverseCumulativeProbability(0.975) * std / Math.sqrt(n);
        return new MeanStd(n, mean, std, new Interval(mean - half, mean + half));
    }
}
