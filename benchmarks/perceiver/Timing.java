package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Duration of repeated work: median and 90th percentile in milliseconds, and the number of runs. */
public record Timing(@JsonProperty("ms") double median, @JsonProperty("ms_p90") double p90, int runs) {
    private static final double NANOS = 1e6;

    /** @param nanos at least one measurement */
    static Timing of(LongStream nanos) {
        long[] sorted = nanos.sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no measurement: a median needs at least one");
        }
        double middle = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
        return new Timing(middle / NANOS, sorted[(sorted.length * 9 - 1) / 10] / NANOS, sorted.length);
    }

    /** Repeats work until the time is up, at least three times, and returns the results. */
    static <T> List<T> repeat(double seconds, Supplier<T> work) {
        List<T> results = new ArrayList<>();
        long end = System.nanoTime() + (long) (seconds * 1e9);
        while (results.size() < 3 || System.nanoTime() < end) {
            results.add(work.get());
        }
        return results;
    }

    /** Measures work with {@link #repeat} after unmeasured runs. */
    static Timing measure(int warmUp, double seconds, Runnable work) {
        for (int i = 0; i < warmUp; i++) {
            work.run();
        }
        return of(repeat(seconds, () -> nanos(work)).stream().mapToLong(Long::longValue));
    }

    static long nanos(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }
}
