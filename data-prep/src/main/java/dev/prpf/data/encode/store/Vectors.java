package dev.prpf.data.encode.store;

import java.util.stream.IntStream;

/** Arithmetic on encoded vectors. */
public final class Vectors {
    private Vectors() {}

    /** Scales a vector to Euclidean length 1; the zero vector stays zero. */
    public static float[] unit(float[] vector) {
        double squares = 0;
        for (float v : vector) {
            squares += (double) v * v;
        }
        double norm = Math.max(Math.sqrt(squares), 1e-12);
        float[] unit = new float[vector.length];
        for (int i = 0; i < unit.length; i++) {
            unit[i] = (float) (vector[i] / norm);
        }
        return unit;
    }

    /** Returns the first index without a finite number, or -1. */
    public static int firstNotFinite(float[] vector) {
        return IntStream.range(0, vector.length)
                .filter(i -> !Float.isFinite(vector[i]))
                .findFirst()
                .orElse(-1);
    }
}
