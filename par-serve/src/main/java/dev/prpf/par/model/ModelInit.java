package dev.prpf.par.model;

import java.util.Arrays;
import java.util.Random;

/** Random initial weights for training from nothing. */
public final class ModelInit {
    private static final double GPT_2_RANGE = 0.02;

    private ModelInit() {}

    /** The same with the standard deviation of GPT-2, 0.02. */
    public static DecoderWeights random(DecoderConfig config, long seed) {
        return random(config, GPT_2_RANGE, seed);
    }

    /**
     * Normal weights and norms of one.
     *
     * @param config the shape
     * @param range standard deviation of the weights ({@code initializer_range} of Hugging Face)
     * @param seed the same seed gives the same bytes, on every machine
     */
    public static DecoderWeights random(DecoderConfig config, double range, long seed) {
        DecoderWeights weights = new DecoderWeights(config, TorchRuntime.newManager());
        Random random = new Random(seed);
        config.parameterShapes().forEach((name, shape) -> {
            float[] values = new float[Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact))];
            if (shape.length == 1) {
                Arrays.fill(values, 1f);
            } else {
                fill(values, range, random);
            }
            weights.put(name, Tensors.create(weights.manager(), shape, values));
        });
        return weights;
    }

    private static void fill(float[] values, double range, Random random) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (random.nextGaussian() * range);
        }
    }
}
