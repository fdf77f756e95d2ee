package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * How answers are drawn; all of it is sent, so that a server's own defaults decide nothing.
 *
 * @param temperature 0 is greedy
 * @param topP nucleus
 * @param maxTokens of an answer at most
 * @param seed for servers that have one, or null
 * @param extraBody further fields of the request, such as {@code chat_template_kwargs} or {@code top_k}; they go over the others, and one
 *     that is null is left out. An object
 */
public record SamplingSettings(
        double temperature, double topP, int maxTokens, @Nullable Long seed, JsonNode extraBody) {
    public SamplingSettings {
        if (!(temperature >= 0)) {
            throw new IllegalArgumentException("temperature = " + temperature + ", must be at least 0");
        }
        if (!(topP > 0 && topP <= 1)) {
            throw new IllegalArgumentException("top-p = " + topP + ", must lie in (0, 1]");
        }
        if (maxTokens < 1) {
            throw new IllegalArgumentException("max-tokens = " + maxTokens + ", must be at least 1");
        }
        if (!extraBody.isObject()) {
            throw new IllegalArgumentException("extra-body must be a mapping, {} for none");
        }
        for (String ours : new String[] {"model", "messages", "stream", "n"}) {
            if (extraBody.has(ours)) {
                throw new IllegalArgumentException("extra-body must not hold \"" + ours + "\", which is set elsewhere");
            }
        }
    }
}
