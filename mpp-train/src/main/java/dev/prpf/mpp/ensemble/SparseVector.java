package dev.prpf.mpp.ensemble;

/**
 * A row of a design matrix.
 *
 * @param indices columns, ascending
 * @param values the values in these columns
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

    /** Returns the dot product of two rows; the cosine of rows of unit length. */
    public double dot(SparseVector other) {
        double sum = 0;
        int k = 0;
        for (int j = 0; j < other.indices.length; j++) {
            while (k < indices.length && indices[k] < other.indices[j]) {
                k++;
            }
            if (k < indices.length && indices[k] == other.indices[j]) {
                sum += values[k] * other.values[j];
            }
        }
        return sum;
    }

    void addTo(double[] target, double scale) {
        for (int k = 0; k < indices.length; k++) {
            target[indices[k]] += scale * values[k];
        }
    }
}
