package dev.prpf.par.model;

import java.util.Arrays;
import java.util.Random;

/** Random initial weights for training from nothing. */
public final class ModelInit {
    private static final float STANDARD_DEVIATION = 0.02f;

    private ModelInit() {}

    /**
     * Normal weights of standard deviation 0.02 and norms of one.
     *
     * @param config the shape
     * @param seed the same seed gives the same bytes, on every machine
     */
    public static DecoderWeights random(DecoderConfig config, long seed) {
        DecoderWeights weights = new DecoderWeights(config, TorchRuntime.newManager());
        Random random = new Random(seed);
        config.parameterShapes().forEach((name, shape) -> {
            float[] values = new float[Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact))];
            if (shape.length == 1) {
                Arrays.fill(values, 1f);
            } else {
                fill(values, random);
            }
            weights.put(name, Tensors.create(weights.manager(), shape, values));
        });
        return weights;
    }

    private static void fill(float[] values, Random random) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian() * STANDARD_DEVIATION;
        }
    }
}
