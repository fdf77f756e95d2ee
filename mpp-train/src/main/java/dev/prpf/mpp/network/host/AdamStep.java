package dev.prpf.mpp.network.host;

import java.nio.FloatBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A step of Adam over flat arrays in one fused, multi-threaded pass. Elements are independent, so the values do not depend on the number of
 * threads.
 */
public final class AdamStep {
    private static final float BETA1 = 0.9f;
    private static final float BETA2 = 0.999f;
    private static final float EPSILON = 1e-8f;
    /** Three arrays of this length fit the first-level cache. */
    private static final int BLOCK = 1024;
    /** One thread finishes fewer blocks before a second thread wakes up. */
    private static final int WORTH_A_THREAD = 64;

    private final float stepSize;
    private final float rootCorrection;

    /** @param step number of this step, from 1 */
    public AdamStep(double learningRate, long step) {
        stepSize = (float) (learningRate / (1 - Math.pow(BETA1, (double) step)));
        rootCorrection = (float) (1 / Math.sqrt(1 - Math.pow(BETA2, (double) step)));
    }

    /** Updates both moments with the gradient of the mean loss, and replaces the gradient by the values to subtract from the parameters. */
    public void apply(FloatBuffer gradient, FloatBuffer first, FloatBuffer second, int threads) {
        int length = gradient.remaining();
        int blocks = (length + BLOCK - 1) / BLOCK;
        AtomicInteger next = new AtomicInteger();
        WorkerPool.run(blocks < WORTH_A_THREAD ? 1 : threads, () -> {
            float[] g = new float[BLOCK];
            float[] m = new float[BLOCK];
            float[] v = new float[BLOCK];
            for (int block = next.getAndIncrement(); block < blocks; block = next.getAndIncrement()) {
                int from = block * BLOCK;
                int n = Math.min(BLOCK, length - from);
                gradient.get(from, g, 0, n);
                first.get(from, m, 0, n);
                second.get(from, v, 0, n);
                step(g, m, v);
                gradient.put(from, g, 0, n);
                first.put(from, m, 0, n);
                second.put(from, v, 0, n);
            }
        });
    }

    /** Works on copies in Java arrays, since the JIT compiler vectorizes only loops over those. */
    private void step(float[] g, float[] m, float[] v) {
        float size = stepSize;
        float correction = rootCorrection;
        for (int i = 0; i < g.length; i++) {
            float first = BETA1 * m[i] + (1 - BETA1) * g[i];
            float second = BETA2 * v[i] + (1 - BETA2) * g[i] * g[i];
            m[i] = first;
            v[i] = second;
            g[i] = size * first / ((float) Math.sqrt(second) * correction + EPSILON);
        }
    }
}
