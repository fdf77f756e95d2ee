package dev.prpf.par.vision;

import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;

/**
 * Creates random initial weights of a vision encoder. Its matrices keep the size of their inputs (standard deviation one over the root of the fan-in,
 * LeCun). A block's contribution to the residual stream is divided by the root of twice the depth. The merger's output has the size of a token's
 * embedding. So the decoder treats images and text alike, also while the vision encoder is frozen.
 */
public final class VisionInit {
    /** Standard deviation of positions; a patch's embedding has about 1. */
    private static final double POSITION = 0.5;
    /** Root mean square of GELU's output for standard normal input. */
    private static final double GELU = 0.65;

    private final VisionConfig config;
    private final double embedding;
    private final Random random;

    private VisionInit(VisionConfig config, double embedding, long seed) {
        this.config = config;
        this.embedding = embedding;
        this.random = new Random(seed);
    }

    /**
     * Creates new random weights.
     *
     * @param config the shape
     * @param embedding standard deviation of the decoder's embeddings
     * @param seed the same seed gives the same bytes, on every machine
     */
    public static VisionWeights random(VisionConfig config, double embedding, long seed) {
        VisionInit init = new VisionInit(config, embedding, seed);
        VisionWeights weights = new VisionWeights(config, TorchRuntime.newManager());
        for (Map.Entry<String, long[]> entry : config.parameterShapes().entrySet()) {
            float[] values = init.values(entry.getKey(), entry.getValue());
            weights.put(entry.getKey(), Tensors.create(weights.manager(), entry.getValue(), values));
        }
        return weights;
    }

    private float[] values(String name, long[] shape) {
        int size = Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
        float[] values = new float[size];
        if (shape.length == 1) {
            Arrays.fill(values, name.endsWith(".bias") ? 0 : 1);
            return values;
        }
        double range = range(name, size / shape[0]);
        for (int i = 0; i < size; i++) {
            values[i] = (float) (random.nextGaussian() * range);
        }
        return values;
    }

    private double range(String name, long fanIn) {
        double kept = 1 / Math.sqrt((double) fanIn);
        if (name.endsWith("pos_embed.weight")) {
            return POSITION;
        }
        if (name.endsWith("merger.linear_fc2.weight")) {
            return kept / GELU * embedding;
        }
        boolean residual = name.endsWith("attn.proj.weight") || name.endsWith("mlp.linear_fc2.weight");
        return residual ? kept / Math.sqrt(2.0 * config.depth()) : kept;
    }
}
