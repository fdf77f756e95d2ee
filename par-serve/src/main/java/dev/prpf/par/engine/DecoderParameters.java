package dev.prpf.par.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a decoder under their Hugging Face names, and the places they take in the list that the TorchScript text calls plain:
 * embedding, {@value #SLOTS} places a layer (some of them empty), final norm, head.
 */
public final class DecoderParameters {
    public static final String EMBEDDING = "model.embed_tokens.weight";
    public static final String HEAD = "lm_head.weight";
    private static final String NORM = "model.norm.weight";
    static final int SLOTS = 14;

    private final DecoderConfig config;
    private final Map<String, long[]> shapes = new LinkedHashMap<>();
    private final List<@Nullable String> places = new ArrayList<>();

    DecoderParameters(DecoderConfig config) {
        this.config = config;
        int width = config.hiddenSize();
        place(EMBEDDING, config.vocabularySize(), width);
        for (int i = 0; i < config.layers(); i++) {
            String layer = "model.layers." + i + ".";
            place(layer + "input_layernorm.weight", width);
            switch (config.layerKinds().get(i)) {
                case FULL_ATTENTION -> attention(layer + "self_attn.");
                case LINEAR_ATTENTION -> deltaNet(layer + "linear_attn.");
            }
            place(layer + "post_attention_layernorm.weight", width);
            place(layer + "mlp.gate_proj.weight", config.intermediateSize(), width);
            place(layer + "mlp.up_proj.weight", config.intermediateSize(), width);
            place(layer + "mlp.down_proj.weight", width, config.intermediateSize());
        }
        place(NORM, width);
        if (config.tiedEmbeddings()) {
            places.add(EMBEDDING);
        } else {
            place(HEAD, config.vocabularySize(), width);
        }
        if (places.size() != 1 + SLOTS * config.layers() + 2) {
            throw new IllegalStateException(places.size() + " places for " + config.layers() + " layers");
        }
    }

    private void attention(String prefix) {
        DecoderFamily family = config.family();
        AttentionShape shape = config.attention();
        int query = Math.multiplyExact(shape.heads(), shape.headDim());
        int keyValue = Math.multiplyExact(shape.keyValueHeads(), shape.headDim());
        int width = config.hiddenSize();
        place(prefix + "q_proj.weight", family.outputGate() ? 2L * query : query, width);
        place(prefix + "k_proj.weight", keyValue, width);
        place(prefix + "v_proj.weight", keyValue, width);
        placeIf(family.attentionBias(), prefix + "q_proj.bias", query);
        placeIf(family.attentionBias(), prefix + "k_proj.bias", keyValue);
        placeIf(family.attentionBias(), prefix + "v_proj.bias", keyValue);
        placeIf(family.headNorms(), prefix + "q_norm.weight", shape.headDim());
        placeIf(family.headNorms(), prefix + "k_norm.weight", shape.headDim());
        place(prefix + "o_proj.weight", width, query);
    }

    private void deltaNet(String prefix) {
        DeltaNetShape shape = java.util.Objects.requireNonNull(config.deltaNet());
        int width = config.hiddenSize();
        place(prefix + "in_proj_qkv.weight", shape.channels(), width);
        place(prefix + "in_proj_z.weight", shape.valueWidth(), width);
        place(prefix + "in_proj_b.weight", shape.valueHeads(), width);
        place(prefix + "in_proj_a.weight", shape.valueHeads(), width);
        place(prefix + "conv1d.weight", shape.channels(), 1, shape.kernel());
        place(prefix + "A_log", shape.valueHeads());
        place(prefix + "dt_bias", shape.valueHeads());
        place(prefix + "norm.weight", shape.valueDim());
        place(prefix + "out_proj.weight", width, shape.valueWidth());
    }

    private void place(String name, long... shape) {
        places.add(name);
        shapes.put(name, shape);
    }

    private void placeIf(boolean present, String name, long... shape) {
        if (present) {
            place(name, shape);
        } else {
            places.add(null);
        }
    }

    Map<String, long[]> shapes() {
        return Collections.unmodifiableMap(shapes);
    }

    /** The name in each place of the plain list; null where this decoder has nothing there. */
    List<@Nullable String> places() {
        return Collections.unmodifiableList(places);
    }
}
