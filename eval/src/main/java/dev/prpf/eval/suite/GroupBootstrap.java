package dev.prpf.eval.suite;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Percentile bootstrap over whole groups of points (a trace, duplicates, a routine): points of one group are not independent, so groups
 * are drawn, with replacement, as many as there are. The gate is not trained again; the interval is of the scored groups' sampling alone.
 * The seed decides the draws, so two gates are compared on the same ones.
 *
 * @param replicates how many draws
 * @param seed of the draws
 */
record GroupBootstrap(int replicates, long seed) {
    private static final double LEVEL = 0.95;

    GroupBootstrap {
        if (replicates < 100) {
            throw new IllegalArgumentException("replicates = " + replicates + ", must be at least 100");
        }
    }

    /**
     * The 95 % interval [low, high] of a figure; replicates in which the figure does not exist are left out.
     *
     * @param positions each group's rows, as positions
     * @param figure from drawn positions to a figure, or null where it does not exist
     * @return null if the figure exists in no replicate
     */
    @Nullable
    List<Double> interval(List<List<Integer>> positions, Function<int[], @Nullable Double> figure) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] values = new double[replicates];
        int count = 0;
        for (int r = 0; r < replicates; r++) {
            int[] drawn = random.ints(positions.size(), 0, positions.size())
                    .mapToObj(positions::get)
                    .flatMap(List::stream)
                    .mapToInt(Integer::intValue)
                    .toArray();
            Double value = figure.apply(drawn);
            if (value != null) {
                values[count++] = value;
            }
        }
        if (count == 0) {
            return null;
        }
        Arrays.sort(values, 0, count);
        return List.of(quantile(values, count, (1 - LEVEL) / 2), quantile(values, count, (1 + LEVEL) / 2));
    }

    /** Linear between order statistics, numpy's default. */
    private static double quantile(double[] sorted, int count, double q) {
        double place = q * (count - 1);
        int below = (int) Math.floor(place);
        int above = Math.min(below + 1, count - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
