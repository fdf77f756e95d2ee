package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/**
 * Keys of {@code config.json} that cannot change a logit, by class, since every version of transformers and every trainer writes others:
 * values that are off, private attributes, generation parameters, generic attributes of {@code PreTrainedConfig}, settings of training and of
 * loading, and numbers that multiply by 1 or count 0 parts.
 */
final class NeutralKeys {
    /** Attributes of every {@code PreTrainedConfig} of transformers 4.40 to 5.x: they name, describe, or choose how outputs are returned. */
    private static final Set<String> GENERIC = ConfigObject.keys(
            """
            name_or_path model_name architectures auto_map finetuning_task tokenizer_class prefix problem_type id2label label2id
            num_labels task_specific_params keys_to_ignore_at_inference dtype torch_dtype use_cache return_dict return_unused_kwargs
            output_attentions output_hidden_states output_router_logits torchscript tf_legacy_loss is_decoder is_llama_config
            transformers.js_config chunk_size_feed_forward attn_implementation gradient_checkpointing model_max_length
            max_sequence_length max_seq_len max_seq_length use_flash_attn use_flash_attention use_flash_attention_2""");

    private NeutralKeys() {}

    /** Whether the key can be ignored, by its class or by its value. */
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

    /** Private attributes, programs and their versions, names of tokens, and the multi-token prediction head, which is not read. */
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
