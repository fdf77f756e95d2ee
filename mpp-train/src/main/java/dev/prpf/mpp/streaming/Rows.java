package dev.prpf.mpp.streaming;

/** Elementwise work on single rows. */
final class Rows {
    private static final float LAYER_NORM_EPSILON = 1e-5f;

    private Rows() {}

    /** y += a x. */
    static void addScaled(float a, float[] x, float[] y) {
        for (int i = 0; i < y.length; i++) {
            y[i] = Math.fma(a, x[i], y[i]);
        }
    }

    static void add(float[] x, float[] y) {
        for (int i = 0; i < y.length; i++) {
            y[i] += x[i];
        }
    }

    static float dot(float[] x, float[] y) {
        return dot(x, y, 0, x.length);
    }

    /** Over the columns from one to another. */
    static float dot(float[] x, float[] y, int from, int to) {
        float sum = 0;
        for (int i = from; i < to; i++) {
            sum += x[i] * y[i];
        }
        return sum;
    }

    static void relu(float[] x) {
        for (int i = 0; i < x.length; i++) {
            x[i] = Math.max(x[i], 0);
        }
    }

    /** To mean 0 and variance 1, without gain and bias. */
    static void layerNorm(float[] x) {
        float mean = 0;
        for (float value : x) {
            mean += value;
        }
        mean /= x.length;
        float variance = 0;
        for (float value : x) {
            variance += (value - mean) * (value - mean);
        }
        float scale = (float) (1 / Math.sqrt(variance / x.length + LAYER_NORM_EPSILON));
        for (int i = 0; i < x.length; i++) {
            x[i] = (x[i] - mean) * scale;
        }
    }

    static void softmax(float[] x) {
        float largest = Float.NEGATIVE_INFINITY;
        for (float value : x) {
            largest = Math.max(largest, value);
        }
        float sum = 0;
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) Math.exp(x[i] - largest);
            sum += x[i];
        }
        for (int i = 0; i < x.length; i++) {
            x[i] /= sum;
        }
    }

    /** x times a number, a new row. */
    static float[] scaled(float[] x, float factor) {
        float[] scaled = new float[x.length];
        addScaled(factor, x, scaled);
        return scaled;
    }

    /** The mean of rows under weights that add up to 1. */
    static float[] weightedSum(float[] weights, float[][] rows) {
        float[] sum = new float[rows[0].length];
        for (int row = 0; row < rows.length; row++) {
            addScaled(weights[row], rows[row], sum);
        }
        return sum;
    }

    /** Attention pooling by a learned query: softmax of the scores, then the mean under it. */
    static float[] pool(float[] query, float[][] rows) {
        float[] weights = new float[rows.length];
        for (int row = 0; row < rows.length; row++) {
            weights[row] = dot(query, rows[row]);
        }
        softmax(weights);
        return weightedSum(weights, rows);
    }
}
