package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sampling parameters of answers; all are sent, so that a server's defaults have no influence.
 *
 * @param temperature 0 is greedy
 * @param topP of nucleus sampling
 * @param maxTokens maximum length of an answer
 * @param seed for servers that support it, or null
 * @param extraBody further fields of the request, such as {@code chat_template_kwargs} or {@code top_k}; an object. They override the other
 *     fields, and a null value removes one
 */
public record SamplingSettings(
        double temperature, double topP, int maxTokens, @Nullable Long seed, JsonNode extraBody) {
    public SamplingSettings {
        Rule.require(temperature >= 0, "temperature", temperature, "at least 0");
        Rule.require(topP > 0 && topP <= 1, "top-p", topP, "in (0, 1]");
        Rule.require(maxTokens >= 1, "max-tokens", maxTokens, "at least 1");
        Rule.require(extraBody.isObject(), "extra-body", extraBody, "a mapping, {} for none");
        for (String ours : List.of("model", "messages", "stream", "n")) {
            if (extraBody.has(ours)) {
                throw new IllegalArgumentException("extra-body must not hold \"" + ours + "\", which is set elsewhere");
            }
        }
    }
}
