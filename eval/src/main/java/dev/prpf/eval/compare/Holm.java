package dev.prpf.eval.compare;

import dev.prpf.base.config.Rule;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979): adjusted p-values of several tests, each to be
 * compared with the same level. It bounds the probability of any false positive, also for dependent tests.
 */
final class Holm {
    private Holm() {}

    /**
     * Returns the adjusted p-values in the given order; none is smaller than before, and their ranks do not change.
     *
     * @param pValues of one family of tests, each in [0, 1]
     */
    public static List<Double> adjusted(List<Double> pValues) {
        pValues.forEach(p -> Rule.require(p >= 0 && p <= 1, "p", p, "in [0, 1]"));
        int[] ascending = IntStream.range(0, pValues.size())
                .boxed()
                .sorted(Comparator.comparing(pValues::get))
                .mapToInt(Integer::intValue)
                .toArray();
        Double[] adjusted = new Double[ascending.length];
        double largest = 0;
        for (int rank = 0; rank < ascending.length; rank++) {
            largest = Math.max(largest, (ascending.length - rank) * pValues.get(ascending[rank]));
            adjusted[ascending[rank]] = Math.min(1, largest);
        }
        return List.of(adjusted);
    }
}
