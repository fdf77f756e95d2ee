package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Decoders in training, of weights that a test holds. */
public final class TestDecoders {
    private TestDecoders() {}

    /** Returns frozen float32 weights with the kernel of training. */
    public static CausalLm frozen(DecoderWeights weights) {
        return frozen(weights, Precision.FP32);
    }

    public static CausalLm frozen(DecoderWeights weights, Precision precision) {
        return CausalLm.of(FusedShape.linear(weights.config(), precision), weights);
    }

    static TrainableDecoder adapted(DecoderWeights weights, LoraAdapters adapters) {
        return TrainableDecoder.adapted(frozen(weights), adapters, null);
    }

    /**
     * Returns the matrices of adapters, in the order of the targets.
     *
     * @param part A or B
     */
    public static PtNDArray[] matrices(LoraAdapters adapters, String part) {
        return adapters.targets().stream()
                .map(target -> adapters.arrays().get(target.replaceFirst("weight$", "lora_" + part + ".weight")))
                .toArray(PtNDArray[]::new);
    }

    /** Fills every B, so that the adapters change something. */
    public static LoraAdapters filled(LoraAdapters adapters, double deviation) {
        Random random = new Random(5);
        for (PtNDArray b : matrices(adapters, "B")) {
            float[] values = new float[Math.toIntExact(b.size())];
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) (deviation * random.nextGaussian());
            }
            Outputs.overwrite(b, values);
        }
        return adapters;
    }

    /** Returns a decoder in training; without adapters all weights learn. */
    static TrainableDecoder of(DecoderWeights weights, @Nullable LoraAdapters adapters, TrainingVision vision) {
        return adapters == null
                ? TrainableDecoder.full(weights, vision)
                : TrainableDecoder.adapted(frozen(weights), adapters, vision);
    }

    /** Returns the gradients of the parameters by name. */
    static Map<String, float[]> gradients(TrainableDecoder decoder) {
        Map<String, float[]> gradients = new LinkedHashMap<>();
        decoder.parameters().forEach((name, array) -> {
            try (PtNDArray gradient = array.getGradient()) {
                gradients.put(name, gradient.toFloatArray());
            }
        });
        return gradients;
    }

    /** Compares gradients by name. The random delta-net model amplifies the last bits, here to 1e-5 of a gradient. */
    static void assertAlike(Map<String, float[]> found, Map<String, float[]> expected) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        found.forEach((name, values) -> {
            float[] others = Objects.requireNonNull(expected.get(name));
            double norm = 0;
            for (float other : others) {
                norm += (double) other * other;
            }
            double tolerance = 2e-4 * Math.max(1, Math.sqrt(norm));
            for (int i = 0; i < values.length; i++) {
                assertThat((double) values[i]).as(name).isCloseTo(others[i], within(tolerance));
            }
        });
    }
}
