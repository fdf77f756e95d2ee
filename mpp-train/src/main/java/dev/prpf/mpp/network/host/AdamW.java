package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.Parameter;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Adam with decoupled weight decay (PRPF Table 4) over flat arrays, fused into one pass that threads share. Decay applies to weights
 * only. Elements are independent, so the values do not depend on the number of threads.
 */
public final class AdamW {
    private static final float BETA1 = 0.9f;
    private static final float BETA2 = 0.999f;
    private static final float EPSILON = 1e-8f;
    /** Four arrays of this length fit the first-level cache. */
    private static final int BLOCK = 1024;
    /** Fewer blocks are done sooner than a second thread wakes up. */
    private static final int WORTH_A_THREAD = 64;

    /** A run of elements that are all decayed or all not. */
    private record Block(int from, int to, boolean decays) {}

    /** Exponential means of gradients and of squared gradients, in the flat order of the parameters, and the steps taken. */
    public record State(float[] firstMoment, float[] secondMoment, long steps) {}

    private final float[] firstMoment;
    private final float[] secondMoment;
    private final Block[] blocks;
    private final int threads;
    private long steps;

    /** Of parameters in their flat order; threads share a step. */
    public AdamW(List<Parameter> parameters, int threads) {
        this.threads = threads;
        int length = parameters.stream().mapToInt(Parameter::length).sum();
        firstMoment = new float[length];
        secondMoment = new float[length];
        List<Block> cut = new ArrayList<>();
        int begin = 0;
        for (Parameter parameter : parameters) {
            int end = begin + parameter.length();
            for (int from = begin; from < end; from += BLOCK) {
                cut.add(new Block(from, Math.min(end, from + BLOCK), parameter.kind() == Parameter.Kind.WEIGHT));
            }
            begin = end;
        }
        blocks = cut.toArray(Block[]::new);
    }

    /** Steps taken. */
    public long steps() {
        return steps;
    }

    /** A copy of the state. */
    public State state() {
        return new State(firstMoment.clone(), secondMoment.clone(), steps);
    }

    /** Goes on from a state; moments of another length are refused. */
    public void restore(State state) {
        int first = state.firstMoment.length;
        int second = state.secondMoment.length;
        if (first != firstMoment.length || second != secondMoment.length) {
            throw new IllegalArgumentException(
                    "moments of " + first + " and " + second + " elements, the network has " + firstMoment.length);
        }
        System.arraycopy(state.firstMoment, 0, firstMoment, 0, first);
        System.arraycopy(state.secondMoment, 0, secondMoment, 0, second);
        steps = state.steps;
    }

    /** One step in place along gradients of the mean loss; decay a step is the learning rate times the weight decay. */
    public void step(FloatBuffer parameters, FloatBuffer gradients, double learningRate, double weightDecay) {
        steps++;
        AtomicInteger next = new AtomicInteger();
        WorkerPool.run(blocks.length < WORTH_A_THREAD ? 1 : threads, () -> {
            Update update = new Update(learningRate, weightDecay, steps);
            for (int block = next.getAndIncrement(); block < blocks.length; block = next.getAndIncrement()) {
                update.run(blocks[block], parameters, gradients);
            }
        });
    }

    /** A thread's share of a step: the compiler makes vector instructions of loops over Java's own arrays only, hence the copies. */
    private final class Update {
        private final float stepSize;
        private final float rootCorrection;
        private final float decay;
        private final float[] values = new float[BLOCK];
        private final float[] gradient = new float[BLOCK];
        private final float[] first = new float[BLOCK];
        private final float[] second = new float[BLOCK];

        Update(double learningRate, double weightDecay, double step) {
            stepSize = (float) (learningRate / (1 - Math.pow(BETA1, step)));
            rootCorrection = (float) (1 / Math.sqrt(1 - Math.pow(BETA2, step)));
            decay = (float) (1 - learningRate * weightDecay);
        }

        void run(Block block, FloatBuffer parameters, FloatBuffer gradients) {
            int length = block.to - block.from;
            parameters.get(block.from, values, 0, length);
            gradients.get(block.from, gradient, 0, length);
            System.arraycopy(firstMoment, block.from, first, 0, length);
            System.arraycopy(secondMoment, block.from, second, 0, length);
            step(values, gradient, first, second, block.decays ? decay : 1);
            parameters.put(block.from, values, 0, length);
            System.arraycopy(first, 0, firstMoment, block.from, length);
            System.arraycopy(second, 0, secondMoment, block.from, length);
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
