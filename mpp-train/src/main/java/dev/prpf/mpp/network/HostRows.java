package dev.prpf.mpp.network;

/** Arithmetic on rows. Eight sums at once keep the processor's adders busy; their order is fixed, hence the bits too. */
final class HostRows {
    private HostRows() {}

    /** Sum of values[from, to). */
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

    /** Sum of all values. */
    static float sum(float[] values) {
        return sum(values, 0, values.length);
    }

    /** target = a b, entry by entry. */
    static void products(float[] a, float[] b, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = a[i] * b[i];
        }
    }

    /** target += a b, entry by entry. */
    static void addProducts(float[] a, float[] b, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] += a[i] * b[i];
        }
    }

    /** target += factor a. */
    static void addScaled(float factor, float[] a, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] += factor * a[i];
        }
    }

    /** The softmax of scores[from, to), in place. */
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

    /** Turns slopes of a softmax's outputs into slopes of its inputs, in place, on [from, to). */
    static void softmaxSlopes(float[] weights, float[] slopes, int from, int to) {
        float mean = 0;
        for (int i = from; i < to; i++) {
            mean += weights[i] * slopes[i];
        }
        for (int i = from; i < to; i++) {
            slopes[i] = weights[i] * (slopes[i] - mean);
        }
    }
}
