package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.InitialScale;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TinyModels;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;

/** The two kinds of decoders, of random weights: of attention alone, and with layers whose states cannot go back. */
public enum TinyDecoder {
    LLAMA,
    QWEN3_5;

    public CausalLm make(int vocabulary, int positions) {
        try (DecoderWeights weights = weights(vocabulary, positions)) {
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    /** The same, but all that is after the last token of the vocabulary is NaN. */
    CausalLm makeBroken(int vocabulary, int positions, Precision precision) {
        try (DecoderWeights weights = weights(vocabulary, positions)) {
            change(weights, "embed_tokens.weight", values -> {
                int width = values.length / vocabulary;
                Arrays.fill(values, values.length - width, values.length, Float.NaN);
            });
            return CausalLm.of(weights, precision);
        }
    }

    /** The same, but the next token depends on the last one alone: greedy texts soon go in circles. */
    CausalLm makeForgetful(int vocabulary, int positions) {
        try (DecoderWeights weights = weights(vocabulary, positions)) {
            for (String output : new String[] {"o_proj.weight", "out_proj.weight", "down_proj.weight"}) {
                change(weights, output, values -> Arrays.fill(values, 0));
            }
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    private static void change(DecoderWeights weights, String ending, Consumer<float[]> change) {
        for (Map.Entry<String, PtNDArray> entry : Map.copyOf(weights.arrays()).entrySet()) {
            if (entry.getKey().endsWith(ending)) {
                float[] values = entry.getValue().toFloatArray();
                change.accept(values);
                long[] shape = entry.getValue().getShape().getShape();
                weights.put(entry.getKey(), Tensors.create(weights.manager(), shape, values));
            }
        }
    }

    /** As large as lets float32 agree to 1e-4, whatever the chunks: states that go through many positions multiply what is rounded. */
    private DecoderWeights weights(int vocabulary, int positions) {
        DecoderConfig config = this == LLAMA
                ? TinyModels.config(vocabulary, positions, false)
                : TinyModels.qwen35(vocabulary, positions, false);
        return ModelInit.random(config, new InitialScale(this == LLAMA ? 0.3 : 0.1, 0), 3);
    }
}
