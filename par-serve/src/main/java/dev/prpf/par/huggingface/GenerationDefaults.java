package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.Sampling;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of a model's {@code generation_config.json}. Missing keys have transformers' defaults, so {@code top_k} is 50. An unsupported
 * key that changes the output is rejected, unless its value has no effect. Unknown keys are logged as warnings.
 *
 * @param sampled whether to sample instead of greedy decoding
 * @param sampling the distribution, used if {@code sampled}
 * @param repetitionPenalty of tokens that occurred already; 1 for none
 * @param endTokens ids that end a response
 * @param stopTexts texts that end a response
 */
public record GenerationDefaults(
        boolean sampled, Sampling sampling, double repetitionPenalty, List<Integer> endTokens, List<String> stopTexts) {
    private static final Logger LOG = LoggerFactory.getLogger(GenerationDefaults.class);
    private static final int DEFAULT_TOP_K = 50;

    /** Keys of transformers 5.23 without effect here: about length, speed or form, or only for beams or a second model. */
    private static final Set<String> WITHOUT_MEANING = ConfigObject.keys(
            """
            _from_model_config transformers_version _commit_hash bos_token_id pad_token_id decoder_start_token_id
            max_length max_new_tokens max_time use_cache cache_implementation cache_config max_cache_len
            return_dict_in_generate output_attentions output_hidden_states output_scores output_logits
            return_legacy_cache early_stopping length_penalty num_return_sequences low_memory prefill_chunk_size
            compile_config disable_compile is_assistant num_assistant_tokens num_assistant_tokens_schedule
            assistant_confidence_threshold assistant_early_exit assistant_lookbehind target_lookbehind
            assistant_ensemble_weight max_matching_ngram_size chat_format trust_remote_code remove_invalid_values
            renormalize_logits""");

    private static final Set<String> READ = ConfigObject.keys(
            """
            do_sample temperature top_k top_p min_p repetition_penalty eos_token_id stop_strings""");

    /** Keys that change the output unless they are 1; the next set, unless they are 0. */
    private static final Set<String> NEUTRAL_AT_ONE = ConfigObject.keys(
            """
            num_beams num_beam_groups typical_p top_h encoder_repetition_penalty guidance_scale""");

    private static final Set<String> NEUTRAL_AT_ZERO = ConfigObject.keys(
            """
            diversity_penalty penalty_alpha epsilon_cutoff eta_cutoff no_repeat_ngram_size
            encoder_no_repeat_ngram_size presence_penalty frequency_penalty min_length min_new_tokens
            prompt_lookup_num_tokens""");

    /** Keys that change the output unless they are null, false or empty. */
    private static final Set<String> REFUSED = ConfigObject.keys(
            """
            bad_words_ids suppress_tokens begin_suppress_tokens forced_bos_token_id forced_eos_token_id
            forced_decoder_ids force_words_ids constraints sequence_bias exponential_decay_length_penalty
            watermarking_config dola_layers token_healing use_mtp speculation_type""");

    public GenerationDefaults {
        SamplingParams.requirePenalty(repetitionPenalty);
        endTokens = List.copyOf(endTokens);
        stopTexts = List.copyOf(stopTexts);
    }

    static boolean knows(String key) {
        return Stream.of(READ, WITHOUT_MEANING, NEUTRAL_AT_ONE, NEUTRAL_AT_ZERO, REFUSED)
                .anyMatch(keys -> keys.contains(key));
    }

    /** Returns the generation parameters that a {@code config.json} holds. */
    static ObjectNode parameters(ObjectNode config) {
        ObjectNode parameters = config.deepCopy();
        config.fieldNames().forEachRemaining(key -> {
            if (!knows(key)) {
                parameters.remove(key);
            }
        });
        return parameters;
    }

    static GenerationDefaults read(String file, JsonNode root, List<Integer> modelEndTokens) {
        ConfigObject config = ConfigObject.root(file, root);
        requireSupported(config);
        List<Integer> endTokens = config.has("eos_token_id") ? config.tokens("eos_token_id") : modelEndTokens;
        try {
            boolean sampled = config.flag("do_sample", false);
            GenerationDefaults defaults = new GenerationDefaults(
                    sampled,
                    sampling(config, sampled),
                    config.number("repetition_penalty", 1),
                    endTokens,
                    texts(config, config.value("stop_strings")));
            config.unread(WITHOUT_MEANING).forEach(key -> LOG.warn("{}: {} is unknown and is ignored", file, key));
            return defaults;
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }

    /** Reads the distribution to sample from. With {@code do_sample: false} other programs write 0 or -1 for none, which has no effect. */
    private static Sampling sampling(ConfigObject config, boolean sampled) {
        double temperature = config.number("temperature", 1);
        int topK = config.whole("top_k", DEFAULT_TOP_K);
        double topP = config.number("top_p", 1);
        return new Sampling(
                temperature == 0 && !sampled ? 1 : temperature,
                sampled ? topK : Math.max(0, topK),
                topP == 0 && !sampled ? 1 : topP,
                config.number("min_p", 0));
    }

    private static List<String> texts(ConfigObject config, JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value.isTextual()) {
            texts.add(value.textValue());
        } else if (value.isArray()) {
            value.forEach(text -> texts.add(text.isTextual() ? text.textValue() : ""));
        } else if (!value.isMissingNode() && !value.isNull()) {
            throw config.refused("stop_strings", "must be a text or a list of texts");
        }
        if (texts.contains("")) {
            throw config.refused("stop_strings", "must hold texts that are not empty");
        }
        return texts;
    }

    static ObjectNode write(DecoderConfig config) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        if (config.tokens().begin() != null) {
            root.put("bos_token_id", config.tokens().begin());
        }
        DecoderConfigWriter.putTokens(root, config.tokens().end());
        if (config.tokens().pad() != null) {
            root.put("pad_token_id", config.tokens().pad());
        }
        return root;
    }

    /** Rejects keys that request unsupported features. */
    private static void requireSupported(ConfigObject config) {
        NEUTRAL_AT_ONE.forEach(key -> requireNeutral(config, key, 1));
        NEUTRAL_AT_ZERO.forEach(key -> requireNeutral(config, key, 0));
        for (String key : REFUSED) {
            if (config.has(key)) {
                throw config.refused(
                        key, "it would change the output and is not supported; remove the key to do without it");
            }
        }
    }

    private static void requireNeutral(ConfigObject config, String key, int value) {
        if (config.number(key, value) != value) {
            throw config.refused(
                    key, "only " + value + ", which has no effect, is supported; remove the key to do without it");
        }
    }
}
