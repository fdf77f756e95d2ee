package dev.prpf.eval.score;

import java.util.ArrayList;
import java.util.List;
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
        double[] differences = new double[n];
        for (int i = 0; i < n; i++) {
            differences[i] = after.get(i) - before.get(i);
        }
        double first = mean(before);
        double second = mean(after);
        return new Comparison.Row(n, first, second, second - first, bootstrap.ofMean(differences));
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sum() / values.size();
    }
}
