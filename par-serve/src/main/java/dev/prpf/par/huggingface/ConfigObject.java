package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An object of a model's config.json, read strictly; every error names the file and the key from the file's root.
 *
 * @param prefix path from the root, ends with a dot
 * @param read the keys that were read so far
 */
record ConfigObject(String file, String prefix, JsonNode node, Set<String> read) {
    static ConfigObject root(String file, JsonNode node) {
        return new ConfigObject(file, "", node, new HashSet<>());
    }

    /** Splits names of keys, separated by white space. */
    static Set<String> keys(String names) {
        return Set.of(names.split("\\s+"));
    }

    /** Returns a nested object; empty if the key is missing or null. */
    ConfigObject object(String key) {
        JsonNode value = value(key);
        if (!value.isObject() && !NeutralKeys.off(value) && !value.isMissingNode()) {
            throw refused(key, "must be an object");
        }
        return new ConfigObject(file, prefix + key + ".", value, new HashSet<>());
    }

    Set<String> names() {
        Set<String> names = new HashSet<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Returns whether the key is present and not null, false or empty. */
    boolean has(String key) {
        return !value(key).isMissingNode() && !NeutralKeys.off(value(key));
    }

    String text(String key) {
        return value(key).asText();
    }

    JsonNode value(String key) {
        read.add(key);
        return node.path(key);
    }

    /** Rejects a key with another value than the only supported one. */
    void only(String key, String supported) {
        if (has(key) && !text(key).equals(supported)) {
            throw refused(key, "only \"" + supported + "\" is supported");
        }
    }

    /** Returns the keys that were not read and are not in the set. */
    Stream<String> unread(Set<String> others) {
        return node.properties().stream()
                .map(Map.Entry::getKey)
                .filter(key -> !read.contains(key) && !others.contains(key));
    }

    /** Rejects unread keys that could change what is computed ({@link NeutralKeys}). */
    void refuseUnread(Set<String> others) {
        unread(others)
                .filter(key -> !NeutralKeys.contains(key, node.path(key)))
                .findFirst()
                .ifPresent(key -> {
                    throw refused(key, "this key is not supported and could change what is computed");
                });
    }

    int whole(String key, @Nullable Integer absent) {
        boolean whole = node.path(key).isIntegralNumber() && node.path(key).canConvertToInt();
        return value(key, absent, whole, JsonNode::asInt, "must be a whole number");
    }

    double number(String key, double absent) {
        return value(key, absent, node.path(key).isNumber(), JsonNode::asDouble, "must be a number");
    }

    boolean flag(String key, boolean absent) {
        return value(key, absent, node.path(key).isBoolean(), JsonNode::asBoolean, "must be true or false");
    }

    private <T> T value(String key, @Nullable T absent, boolean fits, Function<JsonNode, T> reader, String rule) {
        JsonNode value = value(key);
        if (fits) {
            return reader.apply(value);
        }
        if ((value.isMissingNode() || value.isNull()) && absent != null) {
            return absent;
        }
        throw refused(key, rule);
    }

    @Nullable
    Integer token(String key) {
        List<Integer> tokens = tokens(key);
        return tokens.isEmpty() ? null : tokens.get(0);
    }

    /** Returns one id, a list of ids, or none; negative ids mean none. */
    List<Integer> tokens(String key) {
        JsonNode value = value(key);
        if (value.isMissingNode() || value.isNull()) {
            return List.of();
        }
        List<Integer> ids = new ArrayList<>();
        for (JsonNode id : value.isArray() ? value : List.of(value)) {
            if (!id.isInt()) {
                throw refused(key, "must be a token id or a list of ids");
            }
            ids.add(id.intValue());
        }
        ids.removeIf(id -> id < 0);
        return ids;
    }

    PrpfException refused(String key, String rule) {
        JsonNode value = node.path(key);
        return new InvalidDataException(
                file + ": " + prefix + key + " = " + (value.isMissingNode() ? "(missing)" : value) + ": " + rule);
    }

    /** Makes the error for a broken rule of the configuration record. */
    PrpfException refused(String message) {
        return new InvalidDataException(file + ": " + message);
    }

    /**
     * Keys of {@code config.json} that cannot change a logit, by class, since versions of transformers and trainers write different ones.
     * They are disabled values, private attributes, generation parameters, generic attributes of {@code PreTrainedConfig}, settings of
     * training and loading, factors of 1 and counts of 0.
     */
    static final class NeutralKeys {
        /** Attributes of every {@code PreTrainedConfig} of transformers 4.40 to 5.x: names, descriptions and formats of outputs. */
        private static final Set<String> GENERIC = ConfigObject.keys(
                """
                name_or_path model_name architectures auto_map finetuning_task tokenizer_class prefix problem_type id2label label2id
                num_labels task_specific_params keys_to_ignore_at_inference dtype torch_dtype use_cache return_dict return_unused_kwargs
                output_attentions output_hidden_states output_router_logits torchscript tf_legacy_loss is_decoder is_llama_config
                transformers.js_config chunk_size_feed_forward attn_implementation gradient_checkpointing model_max_length
                max_sequence_length max_seq_len max_seq_length use_flash_attn use_flash_attention use_flash_attention_2""");

        private NeutralKeys() {}

        /** Returns whether the key can be ignored, by its class or its value. */
        static boolean contains(String key, JsonNode value) {
            return off(value)
                    || GENERIC.contains(key)
                    || GenerationDefaults.knows(key)
                    || ofTraining(key)
                    || ofOthers(key)
                    || (value.isNumber() && neutral(key, value.asDouble()));
        }

        /** Returns whether a value switches an option off. */
        static boolean off(JsonNode value) {
            return value.isNull()
                    || (value.isBoolean() && !value.asBoolean())
                    || (value.isContainerNode() && value.isEmpty());
        }

        private static boolean ofTraining(String key) {
            return key.startsWith("initializer_")
                    || key.contains("dropout")
                    || key.endsWith("_pdrop")
                    || key.endsWith("_loss_coef");
        }

        /** Returns whether the key is private, of a program or its version, a token id, or of the unused multi-token prediction head. */
        private static boolean ofOthers(String key) {
            return key.startsWith("_")
                    || key.startsWith("unsloth_")
                    || key.endsWith("_version")
                    || key.endsWith("_token_id")
                    || key.startsWith("mtp_");
        }

        private static boolean neutral(String key, double value) {
            boolean multiplies = key.endsWith("factor")
                    || key.endsWith("multiplier")
                    || key.endsWith("scale")
                    || key.endsWith("scaling");
            return multiplies ? value == 1 : key.startsWith("num_") && value == 0;
        }
    }
}
