package dev.prpf.par.serve.openai;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TinyModels;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** A decoder with a scripted next token, which depends only on the last one. */
final class ScriptedModel {
    /** Makes the likeliest token nearly certain at temperature 1, and no token impossible. */
    private static final float SHARP = 3;

    private final Map<Integer, Integer> next = new HashMap<>();

    /** Scripts each of these ids to follow the one before; an id may be in only one script. */
    ScriptedModel script(long... ids) {
        for (int i = 0; i + 1 < ids.length; i++) {
            next.put((int) ids[i], (int) ids[i + 1]);
        }
        return this;
    }

    CausalLm make(int vocabulary, int positions) {
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(vocabulary, positions, false), 3)) {
            for (String output : new String[] {"o_proj.weight", "down_proj.weight"}) {
                change(weights, output, values -> Arrays.fill(values, 0));
            }
            int width = weights.config().hiddenSize();
            float[] embeddings = units(vocabulary, width);
            change(weights, "embed_tokens.weight", values -> System.arraycopy(embeddings, 0, values, 0, values.length));
            change(weights, "lm_head.weight", values -> {
                Arrays.fill(values, 0);
                next.forEach((from, to) -> {
                    for (int i = 0; i < width; i++) {
                        values[to * width + i] = SHARP * embeddings[from * width + i];
                    }
                });
            });
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    /** Random vectors of length 1. */
    private static float[] units(int rows, int width) {
        Random random = new Random(8);
        float[] units = new float[rows * width];
        for (int row = 0; row < rows; row++) {
            double sum = 0;
            for (int i = row * width; i < (row + 1) * width; i++) {
                units[i] = (float) random.nextGaussian();
                sum += units[i] * units[i];
            }
            for (int i = row * width; i < (row + 1) * width; i++) {
                units[i] /= (float) Math.sqrt(sum);
            }
        }
        return units;
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
}
