package dev.prpf.mpp.streaming;

import java.util.ArrayList;
import java.util.List;

/** A channel's post-norm Transformer encoder on (N, d). */
final class TransformerEncoder {
    private final List<Layer> layers;

    private TransformerEncoder(List<Layer> layers) {
        this.layers = layers;
    }

    private record Layer(MultiHeadAttention attention, Linear up, Linear down) {
        float[][] apply(float[][] tokens) {
            float[][] x = addedAndNormed(tokens, attention.apply(tokens, tokens));
            float[][] inner = up.apply(x);
            for (float[] row : inner) {
                Rows.relu(row);
            }
            return addedAndNormed(x, down.apply(inner));
        }

        /** Into the second argument's rows. */
        private static float[][] addedAndNormed(float[][] x, float[][] sublayer) {
            for (int row = 0; row < x.length; row++) {
                Rows.add(x[row], sublayer[row]);
                Rows.layerNorm(sublayer[row]);
            }
            return sublayer;
        }
    }

    static TransformerEncoder of(NetworkArrays arrays, String channel, int layers, int heads) {
        List<Layer> stack = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            String prefix = channel + "." + i;
            Linear out = arrays.body(prefix + ".out");
            String qkv = prefix + ".qkv";
            int d = out.inputs();
            MultiHeadAttention attention = new MultiHeadAttention(
                    heads, arrays.part(qkv, 0, d), arrays.part(qkv, 1, d), arrays.part(qkv, 2, d), out);
            stack.add(new Layer(attention, arrays.body(prefix + ".up"), arrays.body(prefix + ".down")));
        }
        return new TransformerEncoder(stack);
    }

    float[][] apply(float[][] tokens) {
        float[][] x = tokens;
        for (Layer layer : layers) {
            x = layer.apply(x);
        }
        return x;
    }
}
