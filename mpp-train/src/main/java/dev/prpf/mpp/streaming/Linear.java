package dev.prpf.mpp.streaming;

import java.util.Arrays;

/**
 * y = x W + b for a few rows. W is stored (in, out), so that the inner loop runs over neighbours in memory and the compiler turns it
 * into vector instructions; two rows and four inputs share each pass over the outputs.
 */
final class Linear {
    private final float[][] weights; // (in, out)
    private final float[] bias; // (out)

    private Linear(float[][] weights, float[] bias) {
        this.weights = weights;
        this.bias = bias;
    }

    /** Of a matrix stored (out, in), as the body's are; the given outputs and inputs of it only. */
    static Linear ofRows(NetworkArrays.Matrix matrix, float[] bias, Span outputs, Span inputs) {
        float[][] weights = new float[inputs.length()][outputs.length()];
        for (int i = 0; i < inputs.length(); i++) {
            for (int o = 0; o < outputs.length(); o++) {
                weights[i][o] = matrix.at(outputs.from() + o, inputs.from() + i);
            }
        }
        return new Linear(weights, Arrays.copyOfRange(bias, outputs.from(), outputs.to()));
    }

    /** Of a matrix stored (in, out), as DL4J's dense layers are. */
    static Linear ofColumns(NetworkArrays.Matrix matrix, float[] bias) {
        float[][] weights = new float[matrix.rows()][matrix.columns()];
        for (int i = 0; i < matrix.rows(); i++) {
            for (int o = 0; o < matrix.columns(); o++) {
                weights[i][o] = matrix.at(i, o);
            }
        }
        return new Linear(weights, bias.clone());
    }

    /**
     * Some of a matrix's rows or columns.
     *
     * @param from the first
     * @param to one past the last
     */
    record Span(int from, int to) {
        static Span first(int length) {
            return new Span(0, length);
        }

        int length() {
            return to - from;
        }
    }

    int inputs() {
        return weights.length;
    }

    /** (in) to (out). */
    float[] apply(float[] x) {
        return apply(new float[][] {x})[0];
    }

    /** (N, in) to (N, out), new rows. */
    float[][] apply(float[][] x) {
        float[][] y = new float[x.length][];
        for (int row = 0; row < x.length; row++) {
            y[row] = bias.clone();
        }
        int whole = weights.length - weights.length % 4;
        for (int i = 0; i < whole; i += 4) {
            int row = 0;
            for (; row + 1 < x.length; row += 2) {
                addToTwo(i, x[row], y[row], x[row + 1], y[row + 1]);
            }
            if (row < x.length) {
                addToOne(i, x[row], y[row]);
            }
        }
        for (int i = whole; i < weights.length; i++) {
            for (int row = 0; row < x.length; row++) {
                Rows.addScaled(x[row][i], weights[i], y[row]);
            }
        }
        return y;
    }

    private void addToTwo(int i, float[] x, float[] y, float[] x2, float[] y2) {
        float[] w0 = weights[i];
        float[] w1 = weights[i + 1];
        float[] w2 = weights[i + 2];
        float[] w3 = weights[i + 3];
        float a0 = x[i];
        float a1 = x[i + 1];
        float a2 = x[i + 2];
        float a3 = x[i + 3];
        float b0 = x2[i];
        float b1 = x2[i + 1];
        float b2 = x2[i + 2];
        float b3 = x2[i + 3];
        for (int o = 0; o < y.length; o++) {
            y[o] = Math.fma(a3, w3[o], Math.fma(a2, w2[o], Math.fma(a1, w1[o], Math.fma(a0, w0[o], y[o]))));
            y2[o] = Math.fma(b3, w3[o], Math.fma(b2, w2[o], Math.fma(b1, w1[o], Math.fma(b0, w0[o], y2[o]))));
        }
    }

    private void addToOne(int i, float[] x, float[] y) {
        float[] w0 = weights[i];
        float[] w1 = weights[i + 1];
        float[] w2 = weights[i + 2];
        float[] w3 = weights[i + 3];
        float a0 = x[i];
        float a1 = x[i + 1];
        float a2 = x[i + 2];
        float a3 = x[i + 3];
        for (int o = 0; o < y.length; o++) {
            y[o] = Math.fma(a3, w3[o], Math.fma(a2, w2[o], Math.fma(a1, w1[o], Math.fma(a0, w0[o], y[o]))));
        }
    }
}
