package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is asked.
 *
 * @param name how messages to the user name it, such as a sample's id
 * @param turns oldest first
 * @param sampling how the answer is drawn
 * @param responseFormat what the answer must follow, or null for free text
 */
public record ChatRequest(
        String name, List<ChatTurn> turns, SamplingSettings sampling, @Nullable ObjectNode responseFormat) {
    public ChatRequest {
        turns = List.copyOf(turns);
        if (turns.isEmpty()) {
            throw new IllegalArgumentException("a request needs at least one message");
        }
    }

    /** The request as it is sent. */
    public ObjectNode body(String model) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("model", model);
        ArrayNode messages = body.putArray("messages");
        turns.forEach(turn -> messages.addObject().put("role", turn.role()).put("content", turn.content()));
        body.put("temperature", sampling.temperature())
                .put("top_p", sampling.topP())
                .put("max_tokens", sampling.maxTokens());
        if (sampling.seed() != null) {
            body.put("seed", sampling.seed());
        }
        if (responseFormat != null) {
            body.set("response_format", responseFormat);
        }
        body.put("stream", false);
        sampling.extraBody().properties().forEach(field -> extend(body, field.getKey(), field.getValue()));
        return body;
    }

    private static void extend(ObjectNode body, String key, JsonNode value) {
        if (value.isNull()) {
            body.remove(key);
        } else {
            body.set(key, value);
        }
    }
}
