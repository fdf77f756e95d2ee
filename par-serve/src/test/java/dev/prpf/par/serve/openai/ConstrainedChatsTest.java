package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConstrainedChatsTest {
    private static final String PATH = "/v1/chat/completions";
    private static final String TOOLS =
            ", 'tools': [{'type': 'function', 'function': {'name': 'order', 'parameters': {'type': 'object',"
                    + " 'properties': {'count': {'type': 'integer'}, 'size': {'enum': ['small', 'large']}}, 'required': ['size']}}},"
                    + " {'type': 'function', 'function': {'name': 'stop'}}]";

    @TempDir
    private static Path folder;

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(folder, TestServer.ROOMY, TestServer.template("qwen2_5"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String hello(String more) {
        return "{'messages': [{'role': 'user', 'content': 'u'}], 'temperature': 1, 'seed': 3, 'skip_special_tokens': false"
                + more + "}";
    }

    private static JsonNode choice(String more) {
        return server.ask(PATH, hello(more)).path("choices").path(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'response_format': {'type': 'json_object'}",
                "'response_format': {'type': 'json_schema', 'json_schema': {'name': 'a', 'strict': true, 'schema': {'type': 'object', 'properties': {'a': {'type': 'string', 'maxLength': 4}}, 'required': ['a']}}}",
                "'structured_outputs': {'json': {'type': 'object', 'properties': {'a': {'const': 1}}}}",
                "'response_format': {'type': 'json_object', 'schema': {'type': 'object', 'properties': {'a': {'type': 'string', 'maxLength': 4}}, 'required': ['a']}}"
            })
    void anAnswerIsJsonOfTheFormat(String field) {
        JsonNode choice = choice(", 'max_tokens': 60, " + field);
        JsonNode value = TestServer.json(choice.at("/message/content").asText());
        assertThat(value.isObject()).isTrue();
        assertThat(choice.path("finish_reason").asText()).isEqualTo("stop");
        if (field.contains("maxLength")) {
            assertThat(value.path("a").isTextual()).isTrue();
            assertThat(value.path("a").asText().length()).isLessThanOrEqualTo(8);
        }
    }

    @Test
    void anAnswerIsOneOfTheChoices() {
        assertThat(choice(", 'structured_outputs': {'choice': ['yes', 'no']}")
                        .at("/message/content")
                        .asText())
                .isIn("yes", "no");
        assertThat(choice("").at("/message/content").asText()).as("free").isEqualTo(TestServer.ANSWER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", 'parameters': null", ", 'parameters': {}", ", 'parameters': {'type': 'object'}"})
    void aFunctionWithoutParameters_isCalledWithNone(String parameters) {
        JsonNode choice = choice(", 'tools': [{'type': 'function', 'function': {'name': 'ping'" + parameters
                + "}}], 'tool_choice': 'required', 'parallel_tool_calls': false, 'max_tokens': 200");
        JsonNode function = choice.at("/message/tool_calls/0/function");
        assertThat(function.path("name").asText()).isEqualTo("ping");
        assertThat(function.path("arguments").asText()).isEqualTo("{}");
    }

    @Test
    void aCallIsMadeWhereOneIsRequired() {
        JsonNode choice =
                choice(TOOLS + ", 'tool_choice': 'required', 'parallel_tool_calls': false, 'max_tokens': 200");
        assertThat(choice.path("finish_reason").asText()).isEqualTo("tool_calls");
        JsonNode calls = choice.at("/message/tool_calls");
        assertThat(calls).hasSize(1);
        assertThat(choice.at("/message/content").isNull()).isTrue();
        assertThat(calls.path(0).path("id").asText()).startsWith("call_");
        assertThat(calls.path(0).path("type").asText()).isEqualTo("function");
        JsonNode function = calls.path(0).path("function");
        JsonNode arguments = TestServer.json(function.path("arguments").asText());
        assertThat(function.path("name").asText()).isIn("order", "stop");
        if (function.path("name").asText().equals("order")) {
            assertThat(arguments.path("size").asText()).isIn("small", "large");
        } else {
            assertThat(arguments.isEmpty()).isTrue();
        }
    }

    @Test
    void aNamedCallComesAsEventsOfTheStream() {
        List<JsonNode> events = server.events(
                PATH,
                hello(
                        TOOLS
                                + ", 'tool_choice': {'type': 'function', 'function': {'name': 'order'}}, 'stream': true, 'max_tokens': 200"));
        List<JsonNode> calls = events.stream()
                .map(event -> event.at("/choices/0/delta/tool_calls/0"))
                .filter(JsonNode::isObject)
                .toList();
        assertThat(calls.get(0).at("/function/name").asText()).isEqualTo("order");
        assertThat(calls.get(0).path("id").asText()).startsWith("call_");
        String arguments = calls.stream()
                .map(call -> call.at("/function/arguments").asText())
                .collect(Collectors.joining());
        assertThat(TestServer.json(arguments).path("size").asText()).isIn("small", "large");
        assertThat(events.get(events.size() - 1).at("/choices/0/finish_reason").asText())
                .isEqualTo("tool_calls");
    }

    /** A bias makes the model write {@code <tool_call>}; it would then not write a call. */
    @Test
    void aCallThatTheModelBeginsByItselfKeepsToItsSchemaAndGrows() {
        long tag = server.tokenizer.controlToken("<tool_call>");
        String begins = TOOLS + ", 'tool_choice': 'auto', 'max_tokens': 150, 'logit_bias': {'" + tag + "': 60}";
        JsonNode whole = choice(begins);
        JsonNode first = whole.at("/message/tool_calls/0/function");
        assertThat(first.path("name").asText()).as(whole.toString()).isIn("order", "stop");
        for (JsonNode call : whole.at("/message/tool_calls")) {
            JsonNode arguments = TestServer.json(call.at("/function/arguments").asText());
            assertThat(arguments.isObject()).isTrue();
            assertThat(arguments.path("size").asText("small")).isIn("small", "large");
        }
        List<JsonNode> pieces = server.events(PATH, hello(begins + ", 'stream': true")).stream()
                .map(event -> event.at("/choices/0/delta/tool_calls/0"))
                .filter(piece -> piece.isObject() && piece.path("index").asInt() == 0)
                .toList();
        assertThat(pieces).as("a name, and its arguments as they are written").hasSizeGreaterThan(1);
        assertThat(pieces.get(0).at("/function/name").asText())
                .isEqualTo(first.path("name").asText());
        assertThat(pieces.get(0).has("id")).isTrue();
        assertThat(pieces.get(1).has("id")).isFalse();
        assertThat(pieces.stream()
                        .map(piece -> piece.at("/function/arguments").asText())
                        .collect(Collectors.joining()))
                .isEqualTo(first.path("arguments").asText());
    }

    @Test
    void aStrictFunctionIsKeptToOrRefused() {
        String odd = TOOLS.replace("'required': ['size']", "'minProperties': 1");
        assertThat(choice(odd).at("/message/content").asText()).isEqualTo(TestServer.ANSWER);
        String strict = odd.replace("'name': 'order'", "'name': 'order', 'strict': true");
        JsonNode error = server.refused(400, PATH, hello(strict));
        assertThat(error.path("param").asText()).isEqualTo("tools");
        assertThat(error.path("message").asText())
                .startsWith("tools: the parameters of the function order: the schema: the keyword \"minProperties\"");
        assertThat(choice(TOOLS.replace("'name': 'order'", "'name': 'order', 'strict': true"))
                        .at("/message/content")
                        .asText())
                .isEqualTo(TestServer.ANSWER);
        assertThat(choice(TOOLS + ", 'min_tokens': 2, 'ignore_eos': true, 'max_tokens': 5")
                        .path("finish_reason")
                        .asText())
                .as("what is free need not end by itself")
                .isEqualTo("length");
    }

    @Test
    void withoutNeedTheModelSaysWhatItLikes() {
        assertThat(choice(TOOLS).at("/message/content").asText()).isEqualTo(TestServer.ANSWER);
        assertThat(choice(TOOLS + ", 'tool_choice': 'none'")
                        .at("/message/content")
                        .asText())
                .isEqualTo(TestServer.ANSWER);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'response_format': {'type': 'json_schema', 'json_schema': {'name': 'a', 'schema': {'multipleOf': 1}}}|response_format|response_format: the schema: the keyword \"multipleOf\" is not supported; supported are",
                "'structured_outputs': {'json': '{'}|structured_outputs.json|must be a JSON schema",
                "'structured_outputs': {'json': {}, 'choice': ['a']}|structured_outputs.json|structured_outputs must have one of json, json_object and choice",
                "'structured_outputs': {'choice': [1]}|structured_outputs.choice|must be an array of texts",
                "'structured_outputs': {'grammar': 'a'}|structured_outputs.grammar|is not supported: json and choice are",
                "'structured_outputs': {'choice': ['a']}, 'response_format': {'type': 'text'}|structured_outputs|structured_outputs and response_format are both given",
                "'response_format': {'type': 'json_object'}, 'max_tokens': 2|max_tokens|an answer may have 2 tokens; the shortest requested one needs at most 3",
                "'response_format': {'type': 'json_object'}, 'ignore_eos': true|ignore_eos|ignore_eos and min_tokens are not supported with a format or a call",
                "'response_format': {'type': 'json_object'}, 'min_tokens': 3|ignore_eos|ignore_eos and min_tokens are not supported"
            })
    void whatCannotBeAskedForIsRefused(String field, String parameter, String message) {
        JsonNode error = server.refused(400, PATH, hello(", " + field));
        assertThat(error.path("param").asText()).isEqualTo(parameter);
        assertThat(error.path("message").asText()).contains(message);
    }

    @Test
    void aFormatAndCallsDoNotGoTogether() {
        JsonNode error = server.refused(400, PATH, hello(TOOLS + ", 'response_format': {'type': 'json_object'}"));
        assertThat(error.path("message").asText())
                .isEqualTo(
                        "tool_choice must equal none together with response_format: an answer is either of that format or a call");
        JsonNode parameters = server.refused(
                400,
                PATH,
                hello(TOOLS.replace("'required': ['size']", "'minProperties': 1") + ", 'tool_choice': 'required'"));
        assertThat(parameters.path("param").asText()).isEqualTo("tools");
        assertThat(parameters.path("message").asText())
                .startsWith(
                        "tools: the parameters of the function order: the schema: the keyword \"minProperties\" is not supported");
    }
}
