package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.huggingface.DecoderConfigJson.RotaryScalingJson;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes config.json in the format of transformers 5, with {@code rope_theta} also at version 4's place. */
final class DecoderConfigWriter {
    private static final ObjectMapper JSON = new ObjectMapper();

    private DecoderConfigWriter() {}

    static ObjectNode write(DecoderConfig config, String dtype) {
        ObjectNode root = JSON.createObjectNode();
        root.putArray("architectures").add(config.family().architecture());
        root.put("model_type", config.family().modelType());
        if (config.family() != DecoderFamily.QWEN2 && config.family() != DecoderFamily.QWEN2_5_VL) {
            root.put("attention_bias", false);
        }
        root.put("attention_dropout", 0.0);
        root.put("bos_token_id", config.tokens().begin());
        putTokens(root, config.tokens().end());
        root.put("pad_token_id", config.tokens().pad());
        root.put("dtype", dtype);
        root.put("head_dim", config.attention().headDim());
        root.put("hidden_act", "silu");
        root.put("hidden_size", config.hiddenSize());
        root.put("initializer_range", 0.02);
        root.put("intermediate_size", config.intermediateSize());
        root.put("max_position_embeddings", config.maxPositions());
        if (config.family() == DecoderFamily.LLAMA) {
            root.put("mlp_bias", false);
        } else {
            config.layerKinds().stream()
                    .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                    .forEach(root.putArray("layer_types")::add);
        }
        root.put("num_attention_heads", config.attention().heads());
        root.put("num_hidden_layers", config.layers());
        root.put("num_key_value_heads", config.attention().keyValueHeads());
        root.put("rms_norm_eps", config.normEpsilon());
        putRope(root, config);
        putDeltaNet(root, config.deltaNet());
        root.put("tie_word_embeddings", config.tiedEmbeddings());
        root.put("use_cache", true);
        root.put("vocab_size", config.vocabularySize());
        if (config.family() == DecoderFamily.GEMMA3) {
            Gemma3Format.change(root, config);
        }
        return root;
    }

    private static void putRope(ObjectNode root, DecoderConfig config) {
        AttentionShape attention = config.attention();
        ObjectNode rope = root.putObject("rope_parameters");
        rope.put("rope_theta", attention.ropeTheta());
        RotaryScalingJson.write(rope, attention.ropeScaling());
        root.put("rope_theta", attention.ropeTheta());
        if (config.family() == DecoderFamily.QWEN3_5) {
            rope.put("partial_rotary_factor", (double) attention.rotaryDim() / attention.headDim());
            rope.put("mrope_interleaved", true);
        }
        if (!attention.ropeSections().isEmpty()) {
            attention.ropeSections().forEach(rope.putArray("mrope_section")::add);
        }
    }

    private static void putDeltaNet(ObjectNode root, @Nullable DeltaNetShape shape) {
        if (shape != null) {
            root.put("linear_num_key_heads", shape.keyHeads());
            root.put("linear_num_value_heads", shape.valueHeads());
            root.put("linear_key_head_dim", shape.keyDim());
            root.put("linear_value_head_dim", shape.valueDim());
            root.put("linear_conv_kernel_dim", shape.kernel());
        }
    }

    static void putTokens(ObjectNode root, List<Integer> ids) {
        Object written = ids.size() == 1 ? ids.get(0) : ids;
        root.set("eos_token_id", ids.isEmpty() ? root.nullNode() : JSON.valueToTree(written));
    }
}
