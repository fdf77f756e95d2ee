package dev.prpf.mpp.network;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Names, shapes and first values of the body's trainable arrays. Weights are stored (out, in), so that y = x Wᵀ + b. */
final class BodyParameters {
    private static final double POSITION_SCALE = 0.02;

    private final Map<String, long[]> shapes = new LinkedHashMap<>();
    private final int d;

    private BodyParameters(int d) {
        this.d = d;
    }

    static Map<String, long[]> shapes(NetworkShape shape) {
        BodyParameters parameters = new BodyParameters(shape.dimension());
        parameters.linear("frames", shape.stepWidth(), shape.dimension());
        if (shape.slow()) {
            parameters.linear("context", shape.width(), shape.dimension());
            if (shape.sentences() > 0) {
                parameters.shapes.put("slow.context.query", new long[] {NetworkShape.CONTEXT, shape.width()});
            }
            parameters.shapes.put("slow.pool.query", new long[] {1, shape.stepWidth()});
            parameters.channel("slow", shape.slowTokens(), shape);
        }
        if (shape.fast()) {
            parameters.linear("fast.projection", shape.dimension(), shape.dimension());
            parameters.channel("fast", shape.recentSteps(), shape);
        }
        if (shape.slow() && shape.fast()) {
            parameters.cross("cross.slow");
            parameters.cross("cross.fast");
        }
        return Collections.unmodifiableMap(parameters.shapes);
    }

    private void channel(String name, int tokens, NetworkShape shape) {
        shapes.put(name + ".position", new long[] {1, tokens, d});
        for (int layer = 0; layer < shape.layers(); layer++) {
            String prefix = name + "." + layer;
            linear(prefix + ".qkv", d, 3 * d);
            linear(prefix + ".out", d, d);
            linear(prefix + ".up", d, shape.feedForward());
            linear(prefix + ".down", shape.feedForward(), d);
        }
        shapes.put(name + ".readout.query", new long[] {1, d});
    }

    private void cross(String name) {
        linear(name + ".query", d, d);
        linear(name + ".keyvalue", d, 2 * d);
        linear(name + ".out", d, d);
    }

    private void linear(String name, int in, int out) {
        shapes.put(name + ".weight", new long[] {out, in});
        shapes.put(name + ".bias", new long[] {out});
    }

    /** Whether weight decay applies: to matrices, never to biases, positions or queries. */
    static boolean isWeight(String name) {
        return name.endsWith(".weight") || name.endsWith("_W");
    }

    /**
     * First values, row-major: Xavier-uniform weights and queries, small uniform positions, zero biases. Each array has a random
     * stream of its own, seeded by name, so that switching a channel off leaves the other's values as they were.
     */
    static float[] initial(String name, long[] shape, long seed) {
        int length = 1;
        for (long size : shape) {
            length *= (int) size;
        }
        float[] values = new float[length];
        double scale = scale(name, shape);
        if (scale > 0) {
            SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
            for (int i = 0; i < length; i++) {
                values[i] = (float) ((2 * random.nextDouble() - 1) * scale);
            }
        }
        return values;
    }

    private static double scale(String name, long[] shape) {
        if (isWeight(name) || name.endsWith(".query")) {
            return Math.sqrt(6.0 / (shape[0] + shape[1]));
        }
        return name.endsWith(".position") ? POSITION_SCALE : 0;
    }
}
