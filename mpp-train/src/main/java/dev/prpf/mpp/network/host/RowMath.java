package dev.prpf.mpp.network.host;

/** Arithmetic on rows in loops that the compiler vectorizes. Sums have a fixed order and so are bitwise reproducible. */
final class RowMath {
    private RowMath() {}

    /** Sum of values[from, to); eight sums at once keep the processor's adders busy. */
    static float sum(float[] values, int from, int to) {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        float e = 0;
        float f = 0;
        float g = 0;
        float h = 0;
        int i = from;
        for (; i + 8 <= to; i += 8) {
            a += values[i];
            b += values[i + 1];
            c += values[i + 2];
            d += values[i + 3];
            e += values[i + 4];
            f += values[i + 5];
            g += values[i + 6];
            h += values[i + 7];
        }
        for (; i < to; i++) {
            a += values[i];
        }
        return ((a + b) + (c + d)) + ((e + f) + (g + h));
    }

    static float sum(float[] values) {
        return sum(values, 0, values.length);
    }

    /** Adds a row: target += a. */
    static void add(float[] a, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] += a[i];
        }
    }

    /** target = a b, elementwise. */
    static void multiply(float[] a, float[] b, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = a[i] * b[i];
        }
    }

    /** target += a b, elementwise. */
    static void addProducts(float[] a, float[] b, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] += a[i] * b[i];
        }
    }

    /** Applies softmax to scores[from, to) in place. */
    static void softmax(float[] scores, int from, int to) {
        float largest = Float.NEGATIVE_INFINITY;
        for (int i = from; i < to; i++) {
            largest = Math.max(largest, scores[i]);
        }
        float sum = 0;
        for (int i = from; i < to; i++) {
            scores[i] = (float) Math.exp(scores[i] - largest);
            sum += scores[i];
        }
        for (int i = from; i < to; i++) {
            scores[i] /= sum;
        }
    }

    /**
     * Turns n gradients of a softmax's outputs, starting at {@code from}, into gradients of its inputs in place; weights start at {@code at}.
     */
    static void softmaxGradients(float[] weights, int at, float[] gradients, int from, int n) {
        float mean = 0;
        for (int i = 0; i < n; i++) {
            mean += weights[at + i] * gradients[from + i];
        }
        for (int i = 0; i < n; i++) {
            gradients[from + i] = weights[at + i] * (gradients[from + i] - mean);
        }
    }
}
