package dev.prpf.eval.score;

import dev.prpf.data.statistics.Interval;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;
import org.jspecify.annotations.Nullable;

/** A value of each sample under the first and under the second predictions. */
final class PairedValues {
    private final List<Double> before = new ArrayList<>();
    private final List<Double> after = new ArrayList<>();

    void add(double first, double second) {
        before.add(first);
        after.add(second);
    }

    /** Means and the percentile interval of their difference; null where no sample counts. */
    Comparison.@Nullable Row row(Bootstrap bootstrap) {
        int n = before.size();
        if (n == 0) {
            return null;
        }
        RandomGenerator random = new Well19937c(bootstrap.seed());
        double[] estimates = new double[bootstrap.resamples()];
        for (int resample = 0; resample < estimates.length; resample++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                int drawn = random.nextInt(n);
                sum += after.get(drawn) - before.get(drawn);
            }
            estimates[resample] = sum / n;
        }
        Percentile percentile = new Percentile();
        percentile.setData(estimates);
        double tail = (100 - bootstrap.level()) / 2;
        double first = mean(before);
        double second = mean(after);
        return new Comparison.Row(
                n,
                first,
                second,
                second - first,
                new Interval(percentile.evaluate(tail), percentile.evaluate(100 - tail)));
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sum() / values.size();
    }
}
