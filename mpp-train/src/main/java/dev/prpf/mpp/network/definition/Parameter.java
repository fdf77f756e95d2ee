package dev.prpf.mpp.network.definition;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A trainable array, row-major.
 *
 * @param name within the network
 * @param shape (outputs, inputs) of a weight, (rows, width) of queries and positions, (width) of the others
 * @param kind role of the array
 */
public record Parameter(String name, long[] shape, Kind kind) {
    private static final double POSITION_SCALE = 0.02;

    /** The role of a parameter; AdamW decays weights only. */
    public enum Kind {
        WEIGHT,
        BIAS,
        GAIN,
        QUERY,
        POSITION
    }

    /** The number of elements. */
    public int length() {
        return Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
    }

    /**
     * Returns the initial values: Xavier-uniform weights and queries, small uniform positions, gains of one, biases of zero. Each array has a
     * random stream of its own, seeded by name, so that switching a channel off does not change the other's values.
     */
    public float[] initial(long seed) {
        float[] values = new float[length()];
        double scale =
                switch (kind) {
                    case WEIGHT, QUERY -> Math.sqrt(6.0 / (shape[0] + shape[1]));
                    case POSITION -> POSITION_SCALE;
                    case BIAS, GAIN -> 0;
                };
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
        for (int i = 0; i < values.length; i++) {
            values[i] = kind == Kind.GAIN ? 1 : (float) ((2 * random.nextDouble() - 1) * scale);
        }
        return values;
    }
}
