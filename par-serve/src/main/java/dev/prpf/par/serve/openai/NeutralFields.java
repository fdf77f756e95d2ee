package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.math.NumberUtils;

/** Refuses requests for OpenAI's and vLLM's unsupported features. Fields with a neutral value are accepted. */
final class NeutralFields {
    /** Fields with their neutral values; those without a value must be absent. */
    private static final Map<String, String> NEUTRAL = Stream.of(
                    StringUtils.split(
                            """
            audio allowed_token_ids=[] bad_words=[] best_of=1 cache_salt="" chat_template documents=[]
            function_call="none" functions=[] guided_choice guided_grammar guided_json guided_regex
            include_stop_str_in_output=false kv_transfer_params length_penalty=1 logits_processors=[]
            mm_processor_kwargs={} modalities=["text"] prediction priority=0 prompt_embeds prompt_logprobs
            reasoning_effort store=false suffix="" truncate_prompt_tokens use_beam_search=false verbosity
            vllm_xargs web_search_options"""))
            .collect(Collectors.toMap(
                    field -> StringUtils.substringBefore(field, "="),
                    field -> StringUtils.substringAfter(field, "="),
                    (a, b) -> b,
                    TreeMap::new));

    /** Fields without effect on the answer. */
    private static final List<String> WITHOUT_MEANING = List.of(
            StringUtils.split(
                    """
            metadata prompt_cache_key request_id safety_identifier service_tier user
            spaces_between_special_tokens"""));

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
