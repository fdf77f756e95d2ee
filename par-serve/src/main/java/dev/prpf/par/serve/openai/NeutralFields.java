package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.lang3.math.NumberUtils;

/** Refuses requests for OpenAI's and vLLM's unsupported features. Fields with a neutral value are accepted. */
final class NeutralFields {
    private static final Map<String, String> NEUTRAL = new TreeMap<>(Map.ofEntries(
            Map.entry("audio", ""),
            Map.entry("allowed_token_ids", "[]"),
            Map.entry("bad_words", "[]"),
            Map.entry("best_of", "1"),
            Map.entry("cache_salt", "\"\""),
            Map.entry("chat_template", ""),
            Map.entry("documents", "[]"),
            Map.entry("function_call", "\"none\""),
            Map.entry("functions", "[]"),
            Map.entry("guided_choice", ""),
            Map.entry("guided_grammar", ""),
            Map.entry("guided_json", ""),
            Map.entry("guided_regex", ""),
            Map.entry("include_stop_str_in_output", "false"),
            Map.entry("kv_transfer_params", ""),
            Map.entry("length_penalty", "1"),
            Map.entry("logits_processors", "[]"),
            Map.entry("mm_processor_kwargs", "{}"),
            Map.entry("modalities", "[\"text\"]"),
            Map.entry("prediction", ""),
            Map.entry("priority", "0"),
            Map.entry("prompt_embeds", ""),
            Map.entry("prompt_logprobs", ""),
            Map.entry("reasoning_effort", ""),
            Map.entry("store", "false"),
            Map.entry("suffix", "\"\""),
            Map.entry("truncate_prompt_tokens", ""),
            Map.entry("use_beam_search", "false"),
            Map.entry("verbosity", ""),
            Map.entry("vllm_xargs", ""),
            Map.entry("web_search_options", "")));

    /** Fields without effect on the answer. */
    private static final List<String> WITHOUT_MEANING = List.of(
            "metadata",
            "prompt_cache_key",
            "request_id",
            "safety_identifier",
            "service_tier",
            "user",
            "spaces_between_special_tokens");

    private NeutralFields() {}

    /** @throws ApiException 400, naming the first field that requests an unsupported feature */
    static void require(RequestFields body) {
        WITHOUT_MEANING.forEach(body::json);
        NEUTRAL.forEach((name, neutral) -> {
            JsonNode value = body.json(name);
            if (value != null && !isNeutral(value, neutral)) {
                throw ApiException.invalid(
                        name,
                        name + " is not supported" + (neutral.isEmpty() ? "" : ", but as " + neutral)
                                + "; leave it out");
            }
        });
    }

    private static boolean isNeutral(JsonNode value, String neutral) {
        return (value.isNumber() && NumberUtils.isCreatable(neutral))
                ? value.doubleValue() == NumberUtils.createDouble(neutral)
                : value.toString().equals(neutral);
    }
}
