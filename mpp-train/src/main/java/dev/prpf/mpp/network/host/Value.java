package dev.prpf.mpp.network.host;

import org.jspecify.annotations.Nullable;

/**
 * An input, a parameter or an intermediate value, with its gradient if needed. Each operation that reads a value contributes to its gradient;
 * the first contribution overwrites it, the others add.
 */
final class Value {
    private final Matrix matrix;
    private final @Nullable Matrix gradient;
    private boolean contributed;

    Value(Matrix matrix, @Nullable Matrix gradient) {
        this.matrix = matrix;
        this.gradient = gradient;
    }

    static Value of(Matrix matrix) {
        return new Value(matrix, null);
    }

    Matrix matrix() {
        return matrix;
    }

    boolean wantsGradient() {
        return gradient != null;
    }

    /** Returns whether an operation contributes to the gradient. */
    boolean hasGradient() {
        return contributed;
    }

    /** Announces a contribution; true if it must be added to earlier ones. */
    boolean contribute() {
        boolean adds = contributed;
        contributed = true;
        return adds;
    }

    Value reshaped(int columns) {
        return new Value(matrix.reshaped(columns), gradient == null ? null : gradient.reshaped(columns));
    }

    Matrix gradient() {
        if (gradient == null) {
            throw new IllegalStateException("a value of " + matrix + " has no gradient");
        }
        return gradient;
    }
}
