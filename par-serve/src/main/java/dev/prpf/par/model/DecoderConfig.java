package dev.prpf.par.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a Llama-type decoder: RMS norm, rotary positions, grouped-query attention, SwiGLU. Names follow Hugging Face's {@code
 * config.json} ({@link DecoderConfigJson}).
 *
 * @param vocabularySize V
 * @param hiddenSize D
 * @param intermediateSize F, the feed-forward width
 * @param layers number of blocks
 * @param heads N, query heads
 * @param keyValueHeads K, a divisor of N
 * @param headDim H, even
 * @param maxPositions the longest sequence, prompt and response together
 * @param ropeTheta the rotary base
 * @param normEpsilon added to the mean square
 * @param tiedEmbeddings whether the head is the embedding
 * @param beginToken id, or null
 * @param endTokens ids that end a response; may be empty
 * @param padToken id, or null
 */
public record DecoderConfig(
        int vocabularySize,
        int hiddenSize,
        int intermediateSize,
        int layers,
        int heads,
        int keyValueHeads,
        int headDim,
        int maxPositions,
        double ropeTheta,
        double normEpsilon,
        boolean tiedEmbeddings,
        @Nullable Integer beginToken,
        List<Integer> endTokens,
        @Nullable Integer padToken) {
    static final String EMBEDDING = "model.embed_tokens.weight";
    static final String NORM = "model.norm.weight";
    static final String HEAD = "lm_head.weight";

    public DecoderConfig {
        positive("vocab_size", vocabularySize);
        positive("hidden_size", hiddenSize);
        positive("intermediate_size", intermediateSize);
        positive("num_hidden_layers", layers);
        positive("num_attention_heads", heads);
        positive("num_key_value_heads", keyValueHeads);
        positive("head_dim", headDim);
        positive("max_position_embeddings", maxPositions);
        if (heads % keyValueHeads != 0) {
            throw new IllegalArgumentException(
                    "num_attention_heads = " + heads + " must be a multiple of num_key_value_heads = " + keyValueHeads);
        }
        if (headDim % 2 != 0) {
            throw new IllegalArgumentException("head_dim = " + headDim + " must be even: rotary positions turn pairs");
        }
        if (!(ropeTheta > 0) || !(normEpsilon > 0)) {
            throw new IllegalArgumentException(
                    "rope_theta = " + ropeTheta + " and rms_norm_eps = " + normEpsilon + " must be positive");
        }
        endTokens = List.copyOf(endTokens);
    }

    private static void positive(String key, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(key + " = " + value + " must be positive");
        }
    }

    /** Every parameter's Hugging Face name and shape, in the order the TorchScript text takes them; a tied head is left out. */
    public Map<String, long[]> parameterShapes() {
        Map<String, long[]> shapes = new LinkedHashMap<>();
        long attention = (long) heads * headDim;
        long keyValue = (long) keyValueHeads * headDim;
        shapes.put(EMBEDDING, new long[] {vocabularySize, hiddenSize});
        for (int i = 0; i < layers; i++) {
            String layer = "model.layers." + i + ".";
            shapes.put(layer + "input_layernorm.weight", new long[] {hiddenSize});
            shapes.put(layer + "self_attn.q_proj.weight", new long[] {attention, hiddenSize});
            shapes.put(layer + "self_attn.k_proj.weight", new long[] {keyValue, hiddenSize});
            shapes.put(layer + "self_attn.v_proj.weight", new long[] {keyValue, hiddenSize});
            shapes.put(layer + "self_attn.o_proj.weight", new long[] {hiddenSize, attention});
            shapes.put(layer + "post_attention_layernorm.weight", new long[] {hiddenSize});
            shapes.put(layer + "mlp.gate_proj.weight", new long[] {intermediateSize, hiddenSize});
            shapes.put(layer + "mlp.up_proj.weight", new long[] {intermediateSize, hiddenSize});
            shapes.put(layer + "mlp.down_proj.weight", new long[] {hiddenSize, intermediateSize});
        }
        shapes.put(NORM, new long[] {hiddenSize});
        if (!tiedEmbeddings) {
            shapes.put(HEAD, new long[] {vocabularySize, hiddenSize});
        }
        return shapes;
    }

    /** Number of trained values; a tied head counts once. */
    public long parameterCount() {
        return parameterShapes().values().stream()
                .mapToLong(shape -> java.util.Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
    }

    /** The dims argument of the TorchScript text: layers, N, K, H. */
    public long[] dims() {
        return new long[] {layers, heads, keyValueHeads, headDim};
    }
}
