package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.serve.page.OpenApiRoutes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bounds that openapi.json tells are the server's: what lies on one is taken, what lies beyond is a 400 that names the field. */
class DocumentedLimitsTest extends OnSmallServer {
    private static final String CHAT = "/v1/chat/completions";
    private static final String TEXT = "/v1/completions";
    private static final JsonNode DOCUMENT = document();

    /** Their bounds follow from the prompt and from each other. */
    private static final Set<String> RELATED = Set.of("max_tokens", "max_completion_tokens", "min_tokens");

    private static JsonNode document() {
        try (InputStream in = OpenApiRoutes.class.getResourceAsStream("openapi.json")) {
            return TestServer.json(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode properties(String path) {
        return DOCUMENT.path("paths").path(path).at("/post/requestBody/content/application~1json/schema/properties");
    }

    private static ObjectNode base(String path) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (path.equals(CHAT)) {
            body.putArray("messages").addObject().put("role", "user").put("content", "u");
            body.put("logprobs", true);
        } else {
            body.put("prompt", "5").put("echo", true);
        }
        return body.put("temperature", 1).put("max_tokens", 1);
    }

    private static String refused(String path, ObjectNode body) {
        HttpResponse<String> response = server.post(path, body.toString());
        return response.statusCode() == 200
                ? ""
                : response.statusCode() + " "
                        + TestServer.json(response.body()).at("/error/param").asText();
    }

    private static void assertTaken(String path, String field, JsonNode value) {
        ObjectNode body = base(path);
        body.set(field, value);
        assertThat(refused(path, body)).as("%s = %.60s", field, value).isEmpty();
    }

    private static void assertRefused(String path, String field, JsonNode value) {
        ObjectNode body = base(path);
        body.set(field, value);
        assertThat(refused(path, body)).as("%s = %.60s", field, value).isEqualTo("400 " + field);
    }

    /** Every number of both requests. */
    static Stream<Arguments> numbers() {
        return Stream.of(CHAT, TEXT).flatMap(path -> properties(path).properties().stream()
                .filter(field -> Set.of("number", "integer")
                        .contains(field.getValue().path("type").asText()))
                .map(field -> Arguments.of(path, field.getKey(), field.getValue())));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void numbersHaveTheBoundsThatAreTold(String path, String field, JsonNode schema) {
        boolean integer = schema.path("type").asText().equals("integer");
        List<Double> inside = new ArrayList<>();
        List<Double> beyond = new ArrayList<>();
        if (schema.has("minimum")) {
            inside.add(schema.path("minimum").asDouble());
            beyond.add(schema.path("minimum").asDouble() - 1);
        } else if (schema.has("exclusiveMinimum")) {
            inside.add(schema.path("exclusiveMinimum").asDouble() + 1e-3);
            beyond.add(schema.path("exclusiveMinimum").asDouble());
        } else {
            inside.add(-1e9);
        }
        if (schema.has("maximum")) {
            inside.add(schema.path("maximum").asDouble());
            beyond.add(schema.path("maximum").asDouble() + (integer ? 1 : 1e-3));
        } else if (!RELATED.contains(field)) {
            inside.add(1e9);
        }
        inside.forEach(value -> assertTaken(path, field, number(integer, value)));
        beyond.forEach(value -> assertRefused(path, field, number(integer, value)));
    }

    private static JsonNode number(boolean integer, double value) {
        return integer ? JsonNodeFactory.instance.numberNode((long) value) : JsonNodeFactory.instance.numberNode(value);
    }

    private static JsonNode texts(int count, int length) {
        ArrayNode texts = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, count).forEach(i -> texts.add("x".repeat(length)));
        return texts;
    }

    @Test
    void stopTextsHaveTheBoundsThatAreTold() {
        for (String path : List.of(CHAT, TEXT)) {
            JsonNode several = properties(path).at("/stop/oneOf/1");
            int most = several.path("maxItems").asInt();
            int longest = several.at("/items/maxLength").asInt();
            assertTaken(path, "stop", texts(most, longest));
            assertRefused(path, "stop", texts(most + 1, 1));
            assertRefused(path, "stop", texts(1, longest + 1));
            assertRefused(path, "stop", texts(1, 0));
            assertThat(properties(path).at("/stop/oneOf/0/maxLength").asInt()).isEqualTo(longest);
        }
    }

    /** Keys of the same tokens, written with more and more zeros. */
    private static ObjectNode biases(int count, double bias) {
        ObjectNode biases = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < count; i++) {
            biases.put(String.format(Locale.ROOT, "%0" + (3 + i / 200) + "d", i % 200), bias);
        }
        return biases;
    }

    @Test
    void biasesHaveTheBoundsThatAreTold() {
        for (String path : List.of(CHAT, TEXT)) {
            JsonNode schema = properties(path).path("logit_bias");
            int most = schema.path("maxProperties").asInt();
            double highest = schema.at("/additionalProperties/maximum").asDouble();
            double lowest = schema.at("/additionalProperties/minimum").asDouble();
            assertTaken(path, "logit_bias", biases(most, highest));
            assertTaken(path, "logit_bias", biases(1, lowest));
            assertRefused(path, "logit_bias", biases(most + 1, 1));
            for (double beyond : new double[] {highest + 1, lowest - 1}) {
                ObjectNode body = base(path);
                body.set("logit_bias", biases(1, beyond));
                assertThat(refused(path, body)).isEqualTo("400 logit_bias.000");
            }
        }
    }

    private static JsonNode tools(int count) {
        ArrayNode tools = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, count).forEach(i -> tools.addObject()
                .put("type", "function")
                .putObject("function")
                .put("name", "f" + i));
        return tools;
    }

    @Test
    void toolsHaveTheBoundThatIsTold(@TempDir Path folder) {
        int most = properties(CHAT).path("tools").path("maxItems").asInt();
        ObjectNode body = base(CHAT).put("tool_choice", "none");
        try (TestServer qwen = new TestServer(folder, TestServer.ONE_LONG, TestServer.template("qwen2_5"))) {
            body.set("tools", tools(most));
            assertThat(qwen.post(CHAT, body.toString()).statusCode()).isEqualTo(200);
            body.set("tools", tools(most + 1));
            assertThat(qwen.refused(400, CHAT, body.toString()).path("param").asText())
                    .isEqualTo("tools");
        }
    }

    @Test
    void textsToEmbedHaveTheBoundsThatAreTold() {
        JsonNode documented = properties("/v1/embeddings").path("input");
        int most = documented.at("/oneOf/1/maxItems").asInt();
        int longest = documented.at("/oneOf/0/maxLength").asInt();
        for (JsonNode taken : List.of(texts(most, 1), texts(1, longest), texts(2, longest / 2))) {
            assertThat(refused("/v1/embeddings", embedded(taken))).isEmpty();
        }
        for (JsonNode beyond : List.of(texts(most + 1, 1), texts(0, 1), texts(1, longest + 1), texts(1, 0))) {
            assertThat(refused("/v1/embeddings", embedded(beyond))).isEqualTo("400 input");
        }
    }

    private static ObjectNode embedded(JsonNode input) {
        return JsonNodeFactory.instance.objectNode().put("model", "letters").set("input", input);
    }
}
