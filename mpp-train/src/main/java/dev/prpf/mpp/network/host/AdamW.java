package dev.prpf.mpp.network.host;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Adam with decoupled weight decay (PRPF Table 4) over flat arrays, in one fused, multi-threaded pass. Elements are independent, so the values
 * do not depend on the number of threads.
 */
public final class AdamW {
    private static final float BETA1 = 0.9f;
    private static final float BETA2 = 0.999f;
    private static final float EPSILON = 1e-8f;
    /** Four arrays of this length fit the first-level cache. */
    private static final int BLOCK = 1024;
    /** Least number of elements for a second thread: with fewer, one thread finishes before another wakes up. */
    private static final int WORTH_A_THREAD = 64 * BLOCK;

    /** The flat arrays of a step: the parameters, the gradients of the mean loss, and both moments. */
    public record Arrays(FloatBuffer parameters, FloatBuffer gradients, FloatBuffer first, FloatBuffer second) {}

    /** A range of elements with one coefficient of weight decay. */
    public record Run(int length, double decay) {}

    private record Block(int from, int length, double decay) {}

    private final List<Block> blocks = new ArrayList<>();
    private final int threads;

    /** @param runs all elements, in the order of the arrays */
    public AdamW(List<Run> runs, int threads) {
        int begin = 0;
        for (Run run : runs) {
            int end = begin + run.length;
            for (int from = begin; from < end; from += BLOCK) {
                blocks.add(new Block(from, Math.min(BLOCK, end - from), run.decay));
            }
            begin = end;
        }
        this.threads = begin < WORTH_A_THREAD ? 1 : threads;
    }

    /**
     * Updates parameters and moments in place.
     *
     * @param step number of this step, from 1
     */
    public void step(Arrays arrays, double learningRate, double step) {
        AtomicInteger next = new AtomicInteger();
        WorkerPool.run(threads, () -> {
            Update update = new Update(arrays, learningRate, step);
            for (int block = next.getAndIncrement(); block < blocks.size(); block = next.getAndIncrement()) {
                update.run(blocks.get(block));
            }
        });
    }

    /** A thread's share of a step. It copies to Java arrays, since the JIT compiler vectorizes only loops over arrays. */
    private static final class Update {
        private final Arrays arrays;
        private final double learningRate;
        private final float stepSize;
        private final float rootCorrection;
        private final float[] values = new float[BLOCK];
        private final float[] gradient = new float[BLOCK];
        private final float[] first = new float[BLOCK];
        private final float[] second = new float[BLOCK];

        Update(Arrays arrays, double learningRate, double step) {
            this.arrays = arrays;
            this.learningRate = learningRate;
            stepSize = (float) (learningRate / (1 - Math.pow(BETA1, step)));
            rootCorrection = (float) (1 / Math.sqrt(1 - Math.pow(BETA2, step)));
        }

        void run(Block block) {
            arrays.parameters.get(block.from, values, 0, block.length);
            arrays.gradients.get(block.from, gradient, 0, block.length);
            arrays.first.get(block.from, first, 0, block.length);
            arrays.second.get(block.from, second, 0, block.length);
            step(values, gradient, first, second, (float) (1 - learningRate * block.decay));
            arrays.parameters.put(block.from, values, 0, block.length);
            arrays.first.put(block.from, first, 0, block.length);
            arrays.second.put(block.from, second, 0, block.length);
        }

        private void step(float[] value, float[] g, float[] first, float[] second, float kept) {
            float size = stepSize;
            float correction = rootCorrection;
            for (int i = 0; i < value.length; i++) {
                float m = BETA1 * first[i] + (1 - BETA1) * g[i];
                float v = BETA2 * second[i] + (1 - BETA2) * g[i] * g[i];
                first[i] = m;
                second[i] = v;
                value[i] = value[i] * kept - size * m / ((float) Math.sqrt(v) * correction + EPSILON);
            }
        }
    }
}
