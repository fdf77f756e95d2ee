package dev.prpf.base.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Several means over the same samples, prepared for resampling: the sums and counts of each unit. A unit is a cluster of samples
 * with the same source, or one sample. Equal units are stored once, so that memory grows with the number of distinct outcomes.
 * Shapes: U units, R different units, S means.
 */
public final class Means {
    private final double[][] sums; // (R, S)
    private final int[][] counts; // (R, S)
    private final int[] rowOfUnit; // (U)

    private Means(List<Contribution> rows, int[] rowOfUnit) {
        this.sums = rows.stream().map(Contribution::sums).toArray(double[][]::new);
        this.counts = rows.stream().map(Contribution::counts).toArray(int[][]::new);
        this.rowOfUnit = rowOfUnit;
    }

    /** The sums and counts of one unit, compared by content. */
    private record Contribution(double[] sums, int[] counts) {
        Contribution(int means) {
            this(new double[means], new int[means]);
        }

        void add(double[] values) {
            for (int s = 0; s < values.length; s++) {
                if (!Double.isNaN(values[s])) {
                    sums[s] += values[s];
                    counts[s]++;
                }
            }
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Contribution that
                    && Arrays.equals(sums, that.sums)
                    && Arrays.equals(counts, that.counts);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(sums) + Arrays.hashCode(counts);
        }
    }

    /**
     * Collects the sums and counts of samples.
     *
     * @param sources of the samples, shape (n), n at least 1; samples with equal sources form one unit
     * @param valuesOf a sample's values, shape (S), NaN where the mean does not count the sample
     */
    public static Means of(long[] sources, IntFunction<double[]> valuesOf) {
        if (sources.length == 0) {
            throw new IllegalArgumentException("there is no mean of no samples");
        }
        int[] unitOf = new int[sources.length];
        int[] ordered = bySource(sources, unitOf);
        Map<Contribution, Integer> rowOf = new HashMap<>();
        List<Contribution> rows = new ArrayList<>();
        int[] rowOfUnit = new int[unitOf[ordered[ordered.length - 1]] + 1];
        int means = valuesOf.apply(0).length;
        for (int i = 0; i < ordered.length; ) {
            int unit = unitOf[ordered[i]];
            Contribution contribution = new Contribution(means);
            for (; i < ordered.length && unitOf[ordered[i]] == unit; i++) {
                contribution.add(valuesOf.apply(ordered[i]));
            }
            rowOfUnit[unit] = rowOf.computeIfAbsent(contribution, unseen -> {
                rows.add(unseen);
                return rows.size() - 1;
            });
        }
        return new Means(rows, rowOfUnit);
    }

    /** Numbers the sources in order of first appearance and returns the sample indices grouped by unit. */
    private static int[] bySource(long[] sources, int[] unitOf) {
        Map<Long, Integer> numbers = new HashMap<>();
        int[] ends = new int[sources.length + 1];
        for (int i = 0; i < sources.length; i++) {
            Integer next = numbers.size();
            Integer known = numbers.putIfAbsent(sources[i], next);
            unitOf[i] = known == null ? next : known;
            ends[unitOf[i] + 1]++;
        }
        for (int unit = 0; unit < sources.length; unit++) {
            ends[unit + 1] += ends[unit];
        }
        int[] ordered = new int[sources.length];
        for (int i = 0; i < sources.length; i++) {
            ordered[ends[unitOf[i]]++] = i;
        }
        return ordered;
    }

    public int units() {
        return rowOfUnit.length;
    }

    /** Returns the number of units with samples that a mean counts. */
    int unitsOf(int mean) {
        return (int)
                Arrays.stream(rowOfUnit).filter(row -> counts[row][mean] > 0).count();
    }

    /** Returns the number of distinct units. */
    int rows() {
        return sums.length;
    }

    int rowOf(int unit) {
        return rowOfUnit[unit];
    }

    /** Returns the means over all samples, shape (S); NaN for a mean without samples. */
    public double[] values() {
        int[] times = new int[rows()];
        for (int row : rowOfUnit) {
            times[row]++;
        }
        return values(times);
    }

    /** Returns the means of a draw that contains each distinct unit {@code times[r]} times. */
    double[] values(int[] times) {
        int means = sums[0].length;
        double[] sum = new double[means];
        long[] count = new long[means];
        for (int r = 0; r < times.length; r++) {
            for (int s = 0; times[r] > 0 && s < means; s++) {
                sum[s] += times[r] * sums[r][s];
                count[s] += (long) times[r] * counts[r][s];
            }
        }
        for (int s = 0; s < means; s++) {
            sum[s] = count[s] == 0 ? Double.NaN : sum[s] / count[s];
        }
        return sum;
    }
}
