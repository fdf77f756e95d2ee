package dev.prpf.par.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.http.Retrier;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class ChatClientTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RETRIES = 3;

    private final List<Duration> waits = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean stopped = new AtomicBoolean();
    private RecordedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new RecordedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ServerSettings settings(@Nullable String variable, int requestTimeout) {
        return new ServerSettings(List.of(server.baseUrl() + "/"), variable, 4, 2, requestTimeout, RETRIES, 60, null);
    }

    private ChatClient client() {
        return client(settings(null, 20), Map.of());
    }

    private ChatClient client(ServerSettings settings, Map<String, String> environment) {
        Retrier.Policy policy = new Retrier.Policy(RETRIES, Duration.ofSeconds(1), Duration.ofMinutes(1));
        return new ChatClient(
                settings,
                "qwen",
                environment,
                stopped::get,
                new ChatClient.Pace(policy, new Retrier(policy, waits::add), System::nanoTime));
    }

    private static SamplingSettings sampling(String extra) {
        try {
            return new SamplingSettings(0, 1, 64, 5L, JSON.readTree(extra));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static ChatRequest request(String text) {
        return new ChatRequest(text, List.of(new ChatRequest.Turn("user", text)), sampling("{}"), null);
    }

    private static ChatOutcome.Answer one(ChatClient client) {
        return (ChatOutcome.Answer) outcomes(client, List.of(request("hi"))).get(0);
    }

    /** One a request, in order. */
    private static List<ChatOutcome> outcomes(ChatClient client, List<ChatRequest> requests) {
        Map<Integer, ChatOutcome> outcomes = new TreeMap<>();
        client.ask(requests, (index, outcome) -> assertThat(outcomes.put(index, outcome))
                .as("reported twice")
                .isNull());
        assertThat(outcomes).as("reported").hasSameSizeAs(requests);
        return List.copyOf(outcomes.values());
    }

    private void assertFails(ExitCode code, String... words) {
        try (ChatClient client = client()) {
            assertThatThrownBy(() -> one(client))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                    .hasMessageContainingAll(words)
                    .message()
                    .doesNotContain("\n");
        }
    }

    @Test
    void answerHasTheServersTextAndCounts() {
        server.record(RecordedServer.said("你好", "stop"), RecordedServer.said("halves", "length"));
        try (ChatClient client = client()) {
            assertThat(one(client)).isEqualTo(new ChatOutcome.Answer("你好", "stop", 11, 7));
            assertThat(one(client).isCut()).isTrue();
        }
    }

    @Test
    void requestHasEverythingThatDecidesTheAnswer() throws IOException {
        ObjectNode format = JSON.createObjectNode().put("type", "json_object");
        ChatRequest request = new ChatRequest(
                "s",
                List.of(new ChatRequest.Turn("system", "S"), new ChatRequest.Turn("user", "U")),
                sampling("{\"top_k\": 20, \"chat_template_kwargs\": {\"enable_thinking\": false}, \"seed\": null}"),
                format);
        try (ChatClient client = client()) {
            client.ask(List.of(request), (index, outcome) -> {});
        }
        JsonNode expected = JSON.readTree(
                "{\"model\":\"qwen\",\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":\"U\"}],"
                        + "\"temperature\":0.0,\"top_p\":1.0,\"max_tokens\":64,\"response_format\":{\"type\":\"json_object\"},"
                        + "\"stream\":false,\"top_k\":20,\"chat_template_kwargs\":{\"enable_thinking\":false}}");
        assertThat(server.bodies()).containsExactly(expected);
    }

    @Test
    void keyIsReadFromItsVariableAndNeverShown() {
        Map<String, String> environment = Map.of("MY_KEY", "sk-secret");
        try (ChatClient client = client(settings("MY_KEY", 20), environment)) {
            one(client);
            server.record(RecordedServer.json(401, "{\"error\":{\"message\":\"Incorrect API key provided\"}}"));
            assertThatThrownBy(() -> one(client))
                    .hasMessageContainingAll("status 401", "Incorrect API key", "environment variable MY_KEY")
                    .message()
                    .doesNotContain("sk-secret");
        }
        assertThat(server.keys()).containsOnly("Bearer sk-secret");
        assertThat(settings("MY_KEY", 20).toString()).doesNotContain("sk-secret");
    }

    @Test
    void missingKeyIsReportedBeforeRequests() {
        assertThatThrownBy(() -> client(settings("MY_KEY", 20), Map.of("MY_KEY", "a b")))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("environment variable MY_KEY (server.api-key-variable) holds no key")
                .hasMessageNotContaining("a b");
        assertThat(server.bodies()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hf_GivenByMistake123", "sk-given-by-mistake", "AKIAGIVENBYMISTAKE"})
    void keyInPlaceOfItsVariablesNameIsNeverShown(String key) {
        assertThatThrownBy(() -> client(settings(key, 20), Map.of()))
                .hasMessageContaining("api-key-variable")
                .hasMessageContaining("the key")
                .hasMessageNotContaining(key);
    }

    @Test
    void outcomesHaveTheOrderOfTheirRequests() {
        server.slow(5).talking(text -> "re: " + text);
        List<ChatRequest> requests =
                IntStream.range(0, 40).mapToObj(i -> request("n" + i)).toList();
        try (ChatClient client = client()) {
            List<ChatOutcome> outcomes = outcomes(client, requests);
            for (int i = 0; i < outcomes.size(); i++) {
                assertThat(((ChatOutcome.Answer) outcomes.get(i)).text()).isEqualTo("re: n" + i);
            }
        }
        assertThat(server.most()).isBetween(2, 4);
    }

    @Test
    void retryAfterIsObeyed() {
        server.record(
                RecordedServer.json(429, "{\"error\":{\"message\":\"slow down\"}}", "Retry-After", "9"),
                RecordedServer.json(503, "{\"error\":{\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}"),
                RecordedServer.json(500, ""));
        try (ChatClient client = client()) {
            assertThat(one(client).text()).isEqualTo("hi");
        }
        assertThat(waits).hasSize(3);
        assertThat(waits.get(0)).isEqualTo(Duration.ofSeconds(9));
        assertThat(waits.get(1)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void invalidBodiesAreRetried() {
        server.record(
                RecordedServer.reply(200, "text/html", "<html>login</html>"),
                RecordedServer.json(200, "{\"choices\": [{\"message\": {\"content\": \"half"),
                RecordedServer.cutBody());
        try (ChatClient client = client()) {
            assertThat(one(client).text()).isEqualTo("hi");
        }
        assertThat(waits).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "{\"choices\":[]}",
                "{\"choices\":[{\"message\":{\"content\":{\"a\":1}}}]}",
                "{\"error\":{\"message\":\"worker died\"}}",
                "not json",
                "{\"choices\":[{\"message\":{\"content\":\"a\"}}]} trailing"
            })
    void repeatedlyInvalidBodyIsUnreachable(String body) {
        for (int i = 0; i <= RETRIES; i++) {
            server.record(RecordedServer.json(200, body));
        }
        assertFails(ExitCode.UNAVAILABLE, "does not answer sample hi after 4 attempts", "run the same command again");
        assertThat(waits).hasSize(RETRIES);
    }

    @Test
    void answerWithoutTextCountsOrReasonIsAccepted() {
        server.record(
                RecordedServer.json(200, "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null}}]}"));
        try (ChatClient client = client()) {
            assertThat(one(client)).isEqualTo(new ChatOutcome.Answer("", "unknown", null, null));
        }
    }

    @Test
    void silentServerIsRetried() {
        server.record(RecordedServer.silent(30_000));
        long start = System.nanoTime();
        try (ChatClient client = client(settings(null, 1), Map.of())) {
            assertThat(one(client).text()).isEqualTo("hi");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void unreachableServerIsNamed() {
        server.close();
        assertFails(ExitCode.UNAVAILABLE, server.baseUrl(), "does not answer", "4 attempts");
    }

    @Test
    void missingModelIsNamedWithThePresentOnes() {
        server.record(RecordedServer.json(
                404, "{\"error\":{\"message\":\"The model `qwen` does not exist.\",\"type\":\"NotFoundError\"}}"));
        assertFails(ExitCode.UNAVAILABLE, "does not exist", "the requested model is \"qwen\"", "[qwen, smol]");
        assertThat(waits).isEmpty();
    }

    @Test
    void addressWithoutModelsLacksItsVersion() {
        server.record(RecordedServer.json(404, "{\"detail\":\"Not Found\"}"));
        server.withoutModels();
        assertFails(ExitCode.UNAVAILABLE, "status 404: \"Not Found\"", "no list of models either", "with /v1?");
    }

    @Test
    void tooLongRetryAfterIsReportedWithoutWaiting() {
        server.record(RecordedServer.json(429, "{\"error\":{\"message\":\"tomorrow\"}}", "Retry-After", "3600"));
        assertFails(
                ExitCode.UNAVAILABLE,
                "sample hi with status 429: \"tomorrow\"; it requests a wait of 3600 s, server.longest-wait = 60",
                "run the same command again");
        assertThat(waits).isEmpty();
        assertThat(server.bodies()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reasoning_content", "reasoning"})
    void answerTreatedAsReasoningIsEmptyAndReported(String field) {
        server.record(RecordedServer.json(
                200,
                "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":null,\"" + field
                        + "\":\"<recommendations>[]</recommendations>\"}}]}"));
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        ch.qos.logback.classic.Logger logger =
                (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(ChatClient.class);
        logger.addAppender(log);
        try (ChatClient client = client()) {
            assertThat(one(client).text()).isEmpty();
            assertThat(one(client).text()).isEqualTo("hi");
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("sample hi: the server took the whole answer for reasoning", "without a reasoning parser");
    }

    @ParameterizedTest
    @CsvSource({
        "403, '{\"error\":\"forbidden\"}', UNAVAILABLE, server.api-key-variable",
        "405, 'Method Not Allowed', UNAVAILABLE, with /v1",
        "302, '', UNAVAILABLE, with /v1"
    })
    void aRefusalIsFinalAndInTheServersWords(int status, String body, ExitCode code, String words) {
        server.record(RecordedServer.json(status, body));
        assertFails(code, "status " + status, words);
        assertThat(server.bodies()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"object\":\"error\",\"message\":\"This model's maximum context length is 4096 tokens. However, you"
                        + " requested 5000\"}",
                "{\"error\":{\"code\":400,\"message\":\"too"
                        + " big\",\"type\":\"exceed_context_size_error\",\"n_ctx\":4096}}",
                "{\"error\":{\"message\":\"x\",\"code\":\"context_length_exceeded\"}}",
                "{\"error\":{\"message\":\"The input (9 tokens) is longer than the model's context length (8"
                        + " tokens).\"}}"
            })
    void aPromptThatDoesNotFitIsAnOutcomeOfItsOwn(String body) {
        server.record(RecordedServer.json(400, body));
        try (ChatClient client = client()) {
            assertThat(outcomes(client, List.of(request("long"), request("short"))))
                    .filteredOn(outcome -> outcome instanceof ChatOutcome.TooLong)
                    .hasSize(1);
        }
    }

    /** Refusals of other servers, by code, by status and by words. */
    @ParameterizedTest
    @CsvSource({
        "413, '{\"error\":{\"type\":\"request_too_large\",\"message\":\"Request exceeds the maximum size\"}}'",
        "400, '{\"error\":{\"message\":\"The input token count (31000) exceeds the maximum number of tokens allowed (30720).\"}}'",
        "422, '{\"error_type\":\"validation\",\"error\":\"`inputs` must have less than 1024 tokens. Given: 2000\"}'",
        "400, '{\"message\":\"Input is too long for requested model.\"}'",
        "400, '{\"error\":{\"message\":\"Invalid request: Your request exceeded model token limit: 8192\"}}'",
        "400, '{\"message\":\"too many tokens: 4097 where 4081 are allowed\"}'",
        "400, '{\"error\":{\"code\":\"1261\",\"message\":\"Prompt 超长\"}}'",
        "400, '{\"error\":{\"message\":\"maximum prompt length is 1024 but the request contains 5378 tokens\"}}'",
        "400, '{\"error\":{\"message\":\"Range of input length should be [1, 6000]\"}}'",
        "400, '{\"error\":{\"message\":\"prompt is too long: 9000 tokens > 8000 maximum\"}}'"
    })
    void aPromptTooLongInOtherWords_isTooLong(int status, String body) {
        server.record(RecordedServer.json(status, body));
        try (ChatClient client = client()) {
            assertThat(outcomes(client, List.of(request("long"))))
                    .singleElement()
                    .isInstanceOf(ChatOutcome.TooLong.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, '{\"error\":{\"code\":\"content_filter\",\"message\":\"filtered by the policy\"}}', filtered by the policy",
        "400, '{\"error\":{\"code\":\"data_inspection_failed\",\"message\":\"inappropriate\"}}', inappropriate",
        "422, '{\"detail\":\"extra fields not permitted\"}', extra fields not permitted",
        "400, '{\"object\":\"error\",\"message\":\"bad seed\"}', bad seed",
        "400, '{\"message\":\"max_tokens is too large: 9000. This model supports a context length of 4096\"}', max_tokens",
        "400, '{\"message\":\"Range of max_tokens should be [1, 8192]\"}', Range of max_tokens"
    })
    void anotherRefusal_isAnOutcomeInTheServersWords(int status, String body, String words) {
        server.record(RecordedServer.json(status, body));
        try (ChatClient client = client()) {
            assertThat(outcomes(client, List.of(request("r"))))
                    .singleElement()
                    .isInstanceOfSatisfying(ChatOutcome.Refused.class, refused -> assertThat(refused.reason())
                            .contains("refused by the server: ", "answered sample r with status " + status, words));
        }
        assertThat(server.bodies()).hasSize(1);
    }

    @Test
    void aServersOwnWords_areRecognisedByTheUsersPattern() {
        String body = "{\"error\":{\"code\":\"E77\",\"message\":\"the scroll does not end\"}}";
        server.record(RecordedServer.json(400, body));
        ServerSettings settings = new ServerSettings(List.of(server.baseUrl()), null, 1, 2, 2, 0, 1, "E77|scroll");
        try (ChatClient client = client(settings, Map.of())) {
            assertThat(outcomes(client, List.of(request("long"))))
                    .containsExactly(new ChatOutcome.TooLong("\"the scroll does not end\""));
        }
        assertThatThrownBy(() -> new ServerSettings(List.of("http://h/v1"), null, 1, 1, 1, 0, 1, "("))
                .hasMessage("too-long-pattern = \"(\" must be a regular expression: Unclosed group");
    }

    @Test
    void earlierOutcomesAreReportedDespiteAFailure() {
        server.slow(20);
        List<ChatRequest> requests =
                IntStream.range(0, 20).mapToObj(i -> request("n" + i)).toList();
        List<Integer> indices = new ArrayList<>();
        try (ChatClient client = client()) {
            assertThatThrownBy(() -> client.ask(requests, (index, outcome) -> {
                        indices.add(index);
                        if (indices.size() == 6) {
                            server.close();
                        }
                    }))
                    .hasMessageContaining("the answers so far are saved");
        }
        assertThat(indices.size()).isBetween(6, 14);
    }

    @Test
    void stopEndsRunningRequests() {
        server.slow(10_000);
        stopped.set(true);
        long start = System.nanoTime();
        try (ChatClient client = client()) {
            assertThatThrownBy(() -> one(client))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:8000", "ftp://h/v1", "http://h/v1/chat/completions"})
    void aBaseUrlThatCannotBeIsRefused(String url) {
        assertThatThrownBy(() -> new ServerSettings(List.of(url), null, 1, 1, 1, 0, 1, null))
                .hasMessageContaining("urls[0] = \"" + url);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://sk-1@h/v1", "http://h/v1?key=sk-1", "http://h/ sk-1"})
    void aKeyInTheBaseUrlIsNotRepeated(String url) {
        assertThatThrownBy(() -> new ServerSettings(List.of(url), null, 1, 1, 1, 0, 1, null))
                .hasMessageStartingWith("urls[0]")
                .hasMessageNotContaining("sk-1");
    }

    @Test
    void addressesOfServersMustBeUnique() {
        assertThatThrownBy(() -> new ServerSettings(List.of(), null, 1, 1, 1, 0, 1, null))
                .hasMessage("urls = [] must be a list of at least one server's address");
        assertThatThrownBy(() -> new ServerSettings(List.of("http://a/v1", "b:8000"), null, 1, 1, 1, 0, 1, null))
                .hasMessageContaining("urls[1] = \"b:8000\", must be like http://HOST:PORT/v1");
        assertThatThrownBy(() -> new ServerSettings(List.of("http://a/v1", "http://a/v1/"), null, 1, 1, 1, 0, 1, null))
                .hasMessage("urls[1] = http://a/v1 must be an address without duplicates");
    }

    @Test
    void hostInvalidForJavaIsRejectedWithASolution() {
        assertThatThrownBy(() -> new ServerSettings(List.of("http://vllm_server:8000/v1"), null, 1, 1, 1, 0, 1, null))
                .hasMessageContaining("urls[0] = \"http://vllm_server:8000/v1\"")
                .hasMessageEndingWith("Java rejects host names with \"_\", give its IP address");
        assertThatThrownBy(() -> new ServerSettings(List.of("localhost:8000"), null, 1, 1, 1, 0, 1, null))
                .hasMessageEndingWith("without a key");
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatThrownBy(() -> new ServerSettings(List.of("http://h/v1"), "sk-abc", 1, 1, 1, 0, 1, null))
                .hasMessage("api-key-variable must be the name of an environment variable, not the key");
        assertThatThrownBy(() -> new ServerSettings(List.of("http://h/v1"), null, 0, 1, 1, 0, 1, null))
                .hasMessageContaining("concurrency = 0");
        assertThatThrownBy(() -> sampling("{\"messages\": []}")).hasMessageContaining("\"messages\"");
        assertThatThrownBy(() -> sampling("[]")).hasMessageContaining("must be a mapping");
        assertThatThrownBy(() -> new SamplingSettings(-1, 1, 1, null, JSON.createObjectNode()))
                .hasMessageContaining("temperature");
        assertThatThrownBy(() -> new SamplingSettings(0, 0, 1, null, JSON.createObjectNode()))
                .hasMessageContaining("top-p");
        assertThatThrownBy(() -> new SamplingSettings(0, 1, 0, null, JSON.createObjectNode()))
                .hasMessageContaining("max-tokens");
    }

    @Test
    void aNegativeCountOfTokens_isNotReported() {
        assertThat(ChatJson.count(IntNode.valueOf(-5))).isNull();
        assertThat(ChatJson.count(DoubleNode.valueOf(Double.POSITIVE_INFINITY))).isNull();
        assertThat(ChatJson.count(IntNode.valueOf(5))).isEqualTo(5);
    }
}
