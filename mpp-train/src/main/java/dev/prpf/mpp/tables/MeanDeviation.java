package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.report.Shown;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;
import org.jspecify.annotations.Nullable;

/**
 * A figure over runs.
 *
 * @param runs how many have it
 * @param mean over them; null of none
 * @param deviation sample standard deviation (n - 1); null of fewer than two
 * @param interval of the mean, 95 percent, Student's t over the runs; null of fewer than two
 */
public record MeanDeviation(
        @JsonProperty("runs") int runs,
        @JsonProperty("mean") @Nullable Double mean,
        @JsonProperty("std") @Nullable Double deviation,
        @JsonProperty("ci") @Nullable List<Double> interval) {

    /** Of values; those that do not exist are left out. */
    static MeanDeviation of(List<@Nullable Double> values) {
        DescriptiveStatistics statistics = new DescriptiveStatistics();
        values.stream().filter(Objects::nonNull).forEach(value -> statistics.addValue(Objects.requireNonNull(value)));
        int n = (int) statistics.getN();
        if (n < 2) {
            return new MeanDeviation(n, n == 0 ? null : statistics.getMean(), null, null);
        }
        double deviation = statistics.getStandardDeviation();
        double half = new TDistribution(null, n - 1.0).inverseCumulativeProbability(0.975) * deviation / Math.sqrt(n);
        return new MeanDeviation(
                n, statistics.getMean(), deviation, List.of(statistics.getMean() - half, statistics.getMean() + half));
    }

    /**
     * mean ± deviation; how many runs they are over where some have no such figure.
     *
     * @param all the runs there are
     */
    String shown(int all) {
        if (mean == null) {
            return Shown.NONE;
        }
        String deviates = deviation == null ? Shown.NONE : String.format(Locale.ROOT, "%.2f", deviation);
        String over = runs < all ? " (" + runs + " of " + all + " runs)" : "";
        return String.format(Locale.ROOT, "%.2f ± %s%s", mean, deviates, over);
    }
}
