package dev.prpf.par.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads the response bodies of OpenAI's protocol. Any other body (a proxy's page, a truncated one, an error with status 200) is a failed
 * exchange.
 */
final class ChatJson {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final int MAX_SHOWN = 201;

    private ChatJson() {}

    /** Reads a whole answer to the named request. */
    static ChatOutcome.Answer answer(String name, byte[] body) throws IOException {
        JsonNode json = parse(body);
        JsonNode choice = json.path("choices").path(0);
        JsonNode message = choice.path("message");
        JsonNode content = message.path("content");
        if (!message.isObject() || !(content.isTextual() || content.isNull() || content.isMissingNode())) {
            throw new IOException("the answer has no message with a text: " + excerpt(json.toString()));
        }
        JsonNode usage = json.path("usage");
        ChatOutcome.Answer answer = new ChatOutcome.Answer(
                content.asText(""),
                choice.path("finish_reason").asText("unknown"),
                count(usage.path("prompt_tokens")),
                count(usage.path("completion_tokens")));
        return ChatClient.warned(name, answer, hasReasoning(message));
    }

    /** Returns the choices of a completion; not empty. */
    static JsonNode choices(byte[] body) throws IOException {
        JsonNode choices = parse(body).path("choices");
        if (!choices.isArray() || choices.isEmpty()) {
            throw new IOException("the answer has no choices: " + text(body));
        }
        return choices;
    }

    /** Returns whether a message, or a part of one, has separate reasoning, under the keys of vLLM, SGLang and llama.cpp. */
    static boolean hasReasoning(JsonNode message) {
        return !message.path("reasoning_content").asText("").isBlank()
                || !message.path("reasoning").asText("").isBlank();
    }

    static List<String> models(byte[] body) throws IOException {
        List<String> models = new ArrayList<>();
        parse(body).path("data").forEach(model -> models.add(model.path("id").asText()));
        return models;
    }

    /** Returns a server's error message in one line: the protocol's error object, FastAPI's detail, or the start of the body. */
    static String error(byte[] body) {
        try {
            JsonNode json = parse(body);
            JsonNode error = json.path("error");
            for (JsonNode words : List.of(error.path("message"), error, json.path("message"), json.path("detail"))) {
                if (words.isTextual() && !words.asText().isBlank()) {
                    return excerpt(words.asText());
                }
            }
            return excerpt(json.toString());
        } catch (IOException e) {
            return text(body);
        }
    }

    /** Returns an error's code and type, inside OpenAI's error object or next to it. */
    static Stream<String> errorCodes(byte[] body) {
        try {
            JsonNode json = parse(body);
            return Stream.of(json.path("error"), json)
                    .flatMap(error -> Stream.of(error.path("code"), error.path("type")))
                    .map(JsonNode::asText);
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    static JsonNode parse(byte[] body) throws IOException {
        try {
            JsonNode json = JSON.readTree(body);
            if (json == null || !json.isObject()) {
                throw new IOException("the answer is not a JSON object: " + text(body));
            }
            return json;
        } catch (JsonProcessingException e) {
            throw new IOException("the answer is not JSON: " + text(body), e);
        }
    }

    static @Nullable Integer count(JsonNode tokens) {
        return tokens.canConvertToInt() && tokens.intValue() >= 0 ? tokens.intValue() : null;
    }

    private static String text(byte[] body) {
        return excerpt(new String(body, StandardCharsets.UTF_8));
    }

    private static String excerpt(String text) {
        return '"' + StringUtils.abbreviate(StringUtils.normalizeSpace(text), "…", MAX_SHOWN) + '"';
    }
}
