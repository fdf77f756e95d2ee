package dev.prpf.mpp.streaming;

import dev.prpf.mpp.network.MppNetwork.NamedArray;
import java.util.Map;

/** A trained network's arrays by name, as matrices and vectors. */
final class NetworkArrays {
    private static final String BODY = "body_";
    private final Map<String, NamedArray> arrays;

    NetworkArrays(Map<String, NamedArray> arrays) {
        this.arrays = arrays;
    }

    /**
     * Row-major values.
     *
     * @param rows first dimension
     * @param columns second dimension
     * @param values rows * columns
     */
    record Matrix(int rows, int columns, float[] values) {
        float at(int row, int column) {
            return values[row * columns + column];
        }
    }

    /** A linear layer of the body: weights (out, in) and bias. */
    Linear body(String name) {
        Matrix weight = matrix(BODY + name + ".weight");
        return slice(name, Linear.Span.first(weight.rows()), Linear.Span.first(weight.columns()));
    }

    /** Some outputs of a linear layer of the body from some of its inputs, with their bias. */
    Linear slice(String name, Linear.Span outputs, Linear.Span inputs) {
        return Linear.ofRows(matrix(BODY + name + ".weight"), vector(BODY + name + ".bias"), outputs, inputs);
    }

    /** The n-th of equal parts of a layer's outputs. */
    Linear part(String name, int n, int width) {
        Matrix weight = matrix(BODY + name + ".weight");
        return slice(name, new Linear.Span(n * width, (n + 1) * width), Linear.Span.first(weight.columns()));
    }

    /** A dense layer of a head: weights (in, out) and bias. */
    Linear head(String name) {
        return Linear.ofColumns(matrix(name + "_W"), vector(name + "_b"));
    }

    /** All values of an array of the body. */
    float[] bodyVector(String name) {
        return vector(BODY + name);
    }

    private float[] vector(String name) {
        return named(name).values();
    }

    private Matrix matrix(String name) {
        NamedArray array = named(name);
        return new Matrix(Math.toIntExact(array.shape()[0]), Math.toIntExact(array.shape()[1]), array.values());
    }

    private NamedArray named(String name) {
        NamedArray array = arrays.get(name);
        if (array == null) {
            throw new IllegalArgumentException("no array " + name + " among " + arrays.keySet());
        }
        return array;
    }
}
