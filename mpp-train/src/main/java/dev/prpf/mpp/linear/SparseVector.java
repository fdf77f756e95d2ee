package dev.prpf.mpp.linear;

import java.util.stream.IntStream;

/**
 * A row of a design matrix.
 *
 * @param indices columns, ascending
 * @param values the value at each of those columns
 */
public record SparseVector(int[] indices, double[] values) {
    public SparseVector {
        if (indices.length != values.length) {
            throw new IllegalArgumentException(
                    "indices = " + indices.length + ", values = " + values.length + ", must be equal");
        }
        for (int k = 1; k < indices.length; k++) {
            if (indices[k] <= indices[k - 1]) {
                throw new IllegalArgumentException(
                        "indices must ascend, found " + indices[k - 1] + " then " + indices[k]);
            }
        }
    }

    /** A dense vector, for instance an embedding, as a row. */
    public static SparseVector dense(float[] vector) {
        int[] indices = IntStream.range(0, vector.length).toArray();
        return new SparseVector(
                indices, IntStream.of(indices).mapToDouble(k -> vector[k]).toArray());
    }

    /** One more than the last column used. */
    int width() {
        return indices.length == 0 ? 0 : indices[indices.length - 1] + 1;
    }

    double dot(double[] weights) {
        double sum = 0;
        for (int k = 0; k < indices.length && indices[k] < weights.length; k++) {
            sum += values[k] * weights[indices[k]];
        }
        return sum;
    }

    void addTo(double[] target, double scale) {
        for (int k = 0; k < indices.length; k++) {
            target[indices[k]] += scale * values[k];
        }
    }
}
