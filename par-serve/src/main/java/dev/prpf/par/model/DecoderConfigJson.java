package dev.prpf.par.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.run.PrpfException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes Hugging Face's {@code config.json} of model type {@code llama}, both the older form ({@code rope_theta}, {@code
 * rope_scaling}, {@code torch_dtype}) and that of transformers 5 ({@code rope_parameters}, {@code dtype}). A key that could change the
 * mathematics and is not understood is refused by name.
 */
final class DecoderConfigJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Say nothing about the forward pass. */
    private static final Set<String> WITHOUT_MEANING = Set.of(
            "_name_or_path",
            "architectures",
            "attention_dropout",
            "dtype",
            "torch_dtype",
            "transformers_version",
            "initializer_range",
            "use_cache",
            "return_dict",
            "output_attentions",
            "output_hidden_states",
            "id2label",
            "label2id",
            "problem_type",
            "_attn_implementation",
            "_attn_implementation_autoset",
            "is_llama_config",
            "transformers.js_config",
            "chunk_size_feed_forward",
            "task_specific_params",
            "_from_model_config",
            "model_name",
            "unsloth_version",
            "unsloth_fixed",
            "decoder_start_token_id",
            "sep_token_id",
            "prefix");

    private static final Set<String> READ = Set.of(
            "model_type",
            "vocab_size",
            "hidden_size",
            "intermediate_size",
            "num_hidden_layers",
            "num_attention_heads",
            "num_key_value_heads",
            "head_dim",
            "max_position_embeddings",
            "rope_theta",
            "rope_scaling",
            "rope_parameters",
            "rms_norm_eps",
            "tie_word_embeddings",
            "bos_token_id",
            "eos_token_id",
            "pad_token_id",
            "hidden_act",
            "pretraining_tp");

    private final String file;
    private final JsonNode root;

    private DecoderConfigJson(String file, JsonNode root) {
        this.file = file;
        this.root = root;
    }

    /**
     * Reads a configuration.
     *
     * @param file its name, for messages
     * @throws PrpfException 65, naming the key, for what is missing or not understood
     */
    static DecoderConfig read(String file, JsonNode root) {
        return new DecoderConfigJson(file, root).read();
    }

    private DecoderConfig read() {
        refuseOther("model_type", "llama");
        refuseOther("hidden_act", "silu");
        refuseUnknown();
        int hidden = whole("hidden_size", null);
        int heads = whole("num_attention_heads", null);
        try {
            return new DecoderConfig(
                    whole("vocab_size", null),
                    hidden,
                    whole("intermediate_size", null),
                    whole("num_hidden_layers", null),
                    heads,
                    whole("num_key_value_heads", heads),
                    whole("head_dim", heads > 0 ? hidden / heads : null),
                    whole("max_position_embeddings", 2048),
                    ropeTheta(),
                    number(root, "rms_norm_eps", 1e-6),
                    root.path("tie_word_embeddings").asBoolean(false),
                    token("bos_token_id"),
                    tokens(root.path("eos_token_id")),
                    token("pad_token_id"));
        } catch (IllegalArgumentException e) {
            throw PrpfException.badData(file + ": " + e.getMessage());
        }
    }

    private void refuseOther(String key, String understood) {
        JsonNode value = root.path(key);
        if (key.equals("hidden_act") && value.isMissingNode()) {
            return;
        }
        if (!value.asText().equals(understood)) {
            throw refused(key, value, "only \"" + understood + "\" is understood");
        }
    }

    private void refuseUnknown() {
        if (root.path("pretraining_tp").asInt(1) != 1) {
            throw refused("pretraining_tp", root.path("pretraining_tp"), "must be 1");
        }
        for (Map.Entry<String, JsonNode> field : root.properties()) {
            String key = field.getKey();
            if (!READ.contains(key) && !WITHOUT_MEANING.contains(key) && !off(field.getValue())) {
                throw refused(key, field.getValue(), "this key is not understood and could change what is computed");
            }
        }
    }

    /** An option that is absent in all but name. */
    private static boolean off(JsonNode value) {
        return value.isNull()
                || (value.isBoolean() && !value.asBoolean())
                || (value.isContainerNode() && value.isEmpty());
    }

    private double ropeTheta() {
        if (!off(root.path("rope_scaling")) && root.has("rope_scaling")) {
            throw refused("rope_scaling", root.path("rope_scaling"), "only null is understood");
        }
        JsonNode parameters = root.path("rope_parameters");
        for (Map.Entry<String, JsonNode> field : parameters.properties()) {
            boolean understood = field.getKey().equals("rope_theta")
                    || (field.getKey().equals("rope_type")
                            && field.getValue().asText().equals("default"));
            if (!understood && !off(field.getValue())) {
                throw refused(
                        "rope_parameters." + field.getKey(),
                        field.getValue(),
                        "only the default rotary type is understood");
            }
        }
        return number(parameters, "rope_theta", number(root, "rope_theta", 10_000.0));
    }

    private int whole(String key, @Nullable Integer absent) {
        JsonNode value = root.path(key);
        if (value.canConvertToInt() && value.isIntegralNumber()) {
            return value.asInt();
        }
        if ((value.isMissingNode() || value.isNull()) && absent != null) {
            return absent;
        }
        throw refused(key, value, "must be a whole number");
    }

    private double number(JsonNode from, String key, double absent) {
        JsonNode value = from.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return absent;
        }
        if (!value.isNumber()) {
            throw refused(key, value, "must be a number");
        }
        return value.asDouble();
    }

    private @Nullable Integer token(String key) {
        List<Integer> tokens = tokens(root.path(key));
        return tokens.isEmpty() ? null : tokens.get(0);
    }

    /** One id, a list of ids, or none; negative ids stand for none. */
    static List<Integer> tokens(JsonNode value) {
        List<Integer> ids = new ArrayList<>();
        if (value.isInt()) {
            ids.add(value.asInt());
        }
        value.forEach(id -> ids.add(id.asInt()));
        ids.removeIf(id -> id < 0);
        return ids;
    }

    private PrpfException refused(String key, JsonNode value, String rule) {
        return PrpfException.badData(file + ": " + key + " = " + (value.isMissingNode() ? "(missing)" : value) + ": "
                + rule + "; this reader takes Llama-type decoders");
    }

    /** The configuration as transformers 5 writes it, with {@code rope_theta} also where version 4 looks for it. */
    static ObjectNode write(DecoderConfig config, String dtype) {
        ObjectNode root = JSON.createObjectNode();
        root.putArray("architectures").add("LlamaForCausalLM");
        root.put("model_type", "llama");
        root.put("attention_bias", false);
        root.put("attention_dropout", 0.0);
        putToken(root, "bos_token_id", config.beginToken());
        putTokens(root, config.endTokens());
        putToken(root, "pad_token_id", config.padToken());
        root.put("dtype", dtype);
        root.put("head_dim", config.headDim());
        root.put("hidden_act", "silu");
        root.put("hidden_size", config.hiddenSize());
        root.put("initializer_range", 0.02);
        root.put("intermediate_size", config.intermediateSize());
        root.put("max_position_embeddings", config.maxPositions());
        root.put("mlp_bias", false);
        root.put("num_attention_heads", config.heads());
        root.put("num_hidden_layers", config.layers());
        root.put("num_key_value_heads", config.keyValueHeads());
        root.put("rms_norm_eps", config.normEpsilon());
        root.putObject("rope_parameters").put("rope_theta", config.ropeTheta()).put("rope_type", "default");
        root.put("rope_theta", config.ropeTheta());
        root.put("tie_word_embeddings", config.tiedEmbeddings());
        root.put("use_cache", true);
        root.put("vocab_size", config.vocabularySize());
        return root;
    }

    private static void putToken(ObjectNode root, String key, @Nullable Integer id) {
        if (id == null) {
            root.putNull(key);
        } else {
            root.put(key, id);
        }
    }

    static void putTokens(ObjectNode root, List<Integer> ids) {
        if (ids.size() == 1) {
            root.put("eos_token_id", ids.get(0));
        } else if (ids.isEmpty()) {
            root.putNull("eos_token_id");
        } else {
            ArrayNode array = root.putArray("eos_token_id");
            ids.forEach(array::add);
        }
    }
}
