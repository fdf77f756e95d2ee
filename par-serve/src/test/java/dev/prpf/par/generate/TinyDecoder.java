package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TinyModels;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;

/** Two kinds of decoders with random weights: with attention only, and with states that cannot be rewound. */
public enum TinyDecoder {
    LLAMA,
    QWEN3_5;

    public CausalLm make(int vocabulary, int positions) {
        try (DecoderWeights weights = weights(vocabulary, positions)) {
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    /** Creates a decoder that computes NaN after the vocabulary's last token. */
    CausalLm makeBroken(int vocabulary, int positions, Precision precision) {
        try (DecoderWeights weights = weights(vocabulary, positions)) {
            change(weights, "embed_tokens.weight", values -> {
                int width = values.length / vocabulary;
                Arrays.fill(values, values.length - width, values.length, Float.NaN);
            });
            return CausalLm.of(weights, precision);
        }
    }

    /** Creates a decoder with a next token that depends only on the last one: greedy texts soon repeat. */
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

    /** Returns weights of the largest scale at which float32 agrees to 1e-4 for any chunks: states over many positions amplify rounding errors. */
    private DecoderWeights weights(int vocabulary, int positions) {
        DecoderConfig config = this == LLAMA
                ? TinyModels.config(vocabulary, positions, false)
                : TinyModels.qwen35(vocabulary, positions, false);
        return ModelInit.random(config, new ModelInit.Scale(this == LLAMA ? 0.3 : 0.1, 0), 3);
    }
}
