package dev.prpf.mpp;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares large arrays in linear time; AssertJ's {@code containsExactly} takes quadratic time. */
public final class Differences {
    private Differences() {}

    /** Returns the largest difference of two arrays of one length; NaN if a value is NaN. */
    public static double largest(float[] values, float[] expected) {
        assertThat(values).hasSameSizeAs(expected);
        double largest = 0;
        for (int i = 0; i < values.length; i++) {
            largest = Math.max(largest, Math.abs(values[i] - expected[i]));
        }
        return largest;
    }

    /** Returns the largest difference of two arrays of one length; NaN if a value is NaN. */
    public static double largest(double[] values, double[] expected) {
        assertThat(values).hasSameSizeAs(expected);
        double largest = 0;
        for (int i = 0; i < values.length; i++) {
            largest = Math.max(largest, Math.abs(values[i] - expected[i]));
        }
        return largest;
    }
}
