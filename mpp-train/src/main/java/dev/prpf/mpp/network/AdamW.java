package dev.prpf.mpp.network;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Adam with decoupled weight decay (PRPF Table 4) over flat arrays, fused into one pass and split over two threads. Decay applies to
 * weights only. Elements are independent, so the split changes no bit.
 */
final class AdamW {
    private static final float BETA1 = 0.9f;
    private static final float BETA2 = 0.999f;
    private static final float EPSILON = 1e-8f;
    /** Four arrays of this length fit the first-level cache. */
    private static final int BLOCK = 1024;

    /**
     * A run of elements that are all decayed or all not.
     *
     * @param from first element
     * @param to one past the last
     * @param decays whether weight decay applies
     */
    record Segment(int from, int to, boolean decays) {}

    /**
     * @param learningRate step size
     * @param weightDecay decay a step, times the learning rate
     */
    record Rates(double learningRate, double weightDecay) {}

    private final float[] firstMoment;
    private final float[] secondMoment;
    private final Segment[] blocks;
    private long steps;

    AdamW(int length, Iterable<Segment> segments) {
        firstMoment = new float[length];
        secondMoment = new float[length];
        List<Segment> cut = new ArrayList<>();
        for (Segment segment : segments) {
            for (int from = segment.from; from < segment.to; from += BLOCK) {
                cut.add(new Segment(from, Math.min(segment.to, from + BLOCK), segment.decays));
            }
        }
        blocks = cut.toArray(Segment[]::new);
    }

    /** Exponential mean of gradients, the live array. */
    float[] firstMoment() {
        return firstMoment;
    }

    /** Exponential mean of squared gradients, the live array. */
    float[] secondMoment() {
        return secondMoment;
    }

    /** Steps taken. */
    long steps() {
        return steps;
    }

    void restore(float[] first, float[] second, long stepsTaken) {
        if (first.length != firstMoment.length || second.length != secondMoment.length) {
            throw new IllegalArgumentException("moments of " + first.length + " and " + second.length
                    + " elements, the network has " + firstMoment.length);
        }
        System.arraycopy(first, 0, firstMoment, 0, first.length);
        System.arraycopy(second, 0, secondMoment, 0, second.length);
        steps = stepsTaken;
    }

    /**
     * One step.
     *
     * @param parameters changed in place
     * @param gradients sums over the batch
     * @param scale what a gradient is multiplied by: 1 / batch size
     */
    void step(FloatBuffer parameters, FloatBuffer gradients, float scale, Rates rates) {
        steps++;
        if (!SecondLane.available() || blocks.length < 64) {
            update(0, blocks.length, parameters, gradients, scale, rates);
            return;
        }
        int half = blocks.length / 2;
        SecondLane.Ticket other =
                SecondLane.start(() -> update(half, blocks.length, parameters, gradients, scale, rates));
        update(0, half, parameters, gradients, scale, rates);
        other.join();
    }

    private void update(
            int fromBlock, int toBlock, FloatBuffer parameters, FloatBuffer gradients, float scale, Rates rates) {
        float stepSize = (float) (rates.learningRate / (1 - Math.pow(BETA1, (double) steps)));
        float rootCorrection = (float) (1 / Math.sqrt(1 - Math.pow(BETA2, (double) steps)));
        float decay = (float) (1 - rates.learningRate * rates.weightDecay);
        float[] values = new float[BLOCK];
        float[] slopes = new float[BLOCK];
        float[] first = new float[BLOCK];
        float[] second = new float[BLOCK];
        for (int block = fromBlock; block < toBlock; block++) {
            Segment segment = blocks[block];
            int length = segment.to - segment.from;
            parameters.get(segment.from, values, 0, length);
            gradients.get(segment.from, slopes, 0, length);
            System.arraycopy(firstMoment, segment.from, first, 0, length);
            System.arraycopy(secondMoment, segment.from, second, 0, length);
            mean(slopes, first, second, length, scale);
            step(values, first, second, length, segment.decays ? decay : 1, stepSize, rootCorrection);
            parameters.put(segment.from, values, 0, length);
            System.arraycopy(first, 0, firstMoment, segment.from, length);
            System.arraycopy(second, 0, secondMoment, segment.from, length);
        }
    }

    // The compiler makes vector instructions of a loop only if all its arrays share one index: hence the copies above.
    private static void mean(float[] slopes, float[] first, float[] second, int length, float scale) {
        for (int i = 0; i < length; i++) {
            float g = slopes[i] * scale;
            first[i] = BETA1 * first[i] + (1 - BETA1) * g;
            second[i] = BETA2 * second[i] + (1 - BETA2) * g * g;
        }
    }

    private static void step(
            float[] values,
            float[] first,
            float[] second,
            int length,
            float kept,
            float stepSize,
            float rootCorrection) {
        for (int i = 0; i < length; i++) {
            values[i] =
                    values[i] * kept - stepSize * first[i] / ((float) Math.sqrt(second[i]) * rootCorrection + EPSILON);
        }
    }
}
