package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The keys of {@code generation_config.json}, as transformers 5.23 knows them. */
final class GenerationKeys {
    private static final Set<String> READ = Set.of(
            "do_sample",
            "temperature",
            "top_k",
            "top_p",
            "min_p",
            "repetition_penalty",
            "eos_token_id",
            "stop_strings");

    /** Keys that say how long, how fast or in what form, or that come into play with beams or a second model only. */
    private static final Set<String> WITHOUT_MEANING = Set.of(
            "_from_model_config",
            "transformers_version",
            "_commit_hash",
            "bos_token_id",
            "pad_token_id",
            "decoder_start_token_id",
            "max_length",
            "max_new_tokens",
            "max_time",
            "use_cache",
            "cache_implementation",
            "cache_config",
            "max_cache_len",
            "return_dict_in_generate",
            "output_attentions",
            "output_hidden_states",
            "output_scores",
            "output_logits",
            "return_legacy_cache",
            "early_stopping",
            "length_penalty",
            "num_return_sequences",
            "low_memory",
            "prefill_chunk_size",
            "compile_config",
            "disable_compile",
            "is_assistant",
            "num_assistant_tokens",
            "num_assistant_tokens_schedule",
            "assistant_confidence_threshold",
            "assistant_early_exit",
            "assistant_lookbehind",
            "target_lookbehind",
            "assistant_ensemble_weight",
            "max_matching_ngram_size",
            "chat_format",
            "trust_remote_code",
            "remove_invalid_values",
            "renormalize_logits");

    /** Keys that change what is written, with the values at which they do not. */
    private static final Map<String, Double> NEUTRAL = Map.ofEntries(
            Map.entry("num_beams", 1.0),
            Map.entry("num_beam_groups", 1.0),
            Map.entry("diversity_penalty", 0.0),
            Map.entry("penalty_alpha", 0.0),
            Map.entry("typical_p", 1.0),
            Map.entry("top_h", 1.0),
            Map.entry("epsilon_cutoff", 0.0),
            Map.entry("eta_cutoff", 0.0),
            Map.entry("encoder_repetition_penalty", 1.0),
            Map.entry("no_repeat_ngram_size", 0.0),
            Map.entry("encoder_no_repeat_ngram_size", 0.0),
            Map.entry("presence_penalty", 0.0),
            Map.entry("frequency_penalty", 0.0),
            Map.entry("guidance_scale", 1.0),
            Map.entry("min_length", 0.0),
            Map.entry("min_new_tokens", 0.0),
            Map.entry("prompt_lookup_num_tokens", 0.0));

    /** Keys that change what is written unless they are null, false or empty. */
    private static final Set<String> REFUSED = Set.of(
            "bad_words_ids",
            "suppress_tokens",
            "begin_suppress_tokens",
            "forced_bos_token_id",
            "forced_eos_token_id",
            "forced_decoder_ids",
            "force_words_ids",
            "constraints",
            "sequence_bias",
            "exponential_decay_length_penalty",
            "watermarking_config",
            "dola_layers",
            "token_healing",
            "use_mtp",
            "speculation_type");

    private GenerationKeys() {}

    /**
     * Refuses keys that ask for what is not done here.
     *
     * @return keys that are not known
     */
    static List<String> check(ConfigObject config, JsonNode root) {
        NEUTRAL.forEach((key, value) -> {
            if (config.number(key, value) != value) {
                throw config.refused(
                        key,
                        "only " + number(value)
                                + ", which changes nothing, is understood; remove the key to go without it");
            }
        });
        for (String key : REFUSED) {
            if (config.has(key)) {
                throw config.refused(
                        key, "it would change what is written and is not understood; remove the key to go without it");
            }
        }
        return root.properties().stream()
                .map(Map.Entry::getKey)
                .filter(key -> !READ.contains(key) && !WITHOUT_MEANING.contains(key))
                .filter(key -> !NEUTRAL.containsKey(key) && !REFUSED.contains(key))
                .toList();
    }

    private static String number(double value) {
        return Integer.toString((int) value);
    }
}
