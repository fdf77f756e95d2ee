package dev.prpf.par.training;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.lora.LoraAdapters;
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

    /** Returns a decoder in training; without adapters all weights learn. */
    static TrainableDecoder of(DecoderWeights weights, @Nullable LoraAdapters adapters, TrainingVision vision) {
        return adapters == null
                ? TrainableDecoder.full(weights, vision)
                : TrainableDecoder.adapted(frozen(weights), adapters, vision);
    }
}
