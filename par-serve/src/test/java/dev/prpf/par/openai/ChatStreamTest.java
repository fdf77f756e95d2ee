package dev.prpf.par.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.BusyException;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streamed answers of servers, and their faults. */
class ChatStreamTest {
    private static final ChatRequest REQUEST = new ChatRequest(
            "r7",
            List.of(new ChatRequest.Turn("user", "hi")),
            new SamplingSettings(0, 1, 64, 5L, JsonNodeFactory.instance.objectNode()),
            null);

    private final List<String> texts = new ArrayList<>();
    private RecordedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new RecordedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Receives an answer; leaves after a number of pieces. */
    private final class Reader implements ChatModel.Progress {
        private final int most;
        private int waited;

        Reader(int most) {
            this.most = most;
        }

        @Override
        public void wrote(String text) {
            texts.add(text);
        }

        @Override
        public void waiting() {
            waited++;
            if (texts.size() >= most) {
                throw new IllegalStateException("the client left");
            }
        }
    }

    private ChatClient client(String model, int timeout, String... urls) {
        List<String> all = urls.length == 0 ? List.of(server.baseUrl()) : List.of(urls);
        return new ChatClient(new ServerSettings(all, null, 4, 2, timeout, 6, 60, null), model, Map.of(), () -> false);
    }

    private ChatOutcome stream() throws IOException {
        try (ChatClient client = client("qwen", 20)) {
            return client.stream(REQUEST, new Reader(Integer.MAX_VALUE));
        }
    }

    private static String file(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ChatStreamTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void anAnswerOfVllmArrivesInItsPieces() throws IOException {
        server.record(RecordedServer.streaming(0, file("vllm_stream.txt")));
        ChatOutcome.Answer answer = (ChatOutcome.Answer) stream();
        assertThat(answer.text()).startsWith("{\"thinking\":\"用户在订票\",").endsWith("}]}]}");
        assertThat(answer).isEqualTo(new ChatOutcome.Answer(answer.text(), "stop", 412, 20));
        assertThat(texts).hasSize(20).startsWith("{\"", "thinking", "\":\"", "用户");
        assertThat(String.join("", texts)).isEqualTo(answer.text());
        JsonNode body = server.bodies().get(0);
        assertThat(body.path("stream").booleanValue()).isTrue();
        assertThat(body.at("/stream_options/include_usage").booleanValue()).isTrue();
    }

    /** The server writes more events, for longer than a request's time or with more bytes than a body may have. */
    @Test
    void theEndOfTheEventsIsTheEndOfTheAnswer() throws IOException {
        String rest = "data: x\n\n".repeat(1 << 17);
        String[] pieces = new String[100];
        Arrays.fill(pieces, rest);
        pieces[0] = RecordedServer.delta("whole") + "data: [DONE]\n\n" + rest;
        for (int pause : new int[] {0, 60}) {
            server.record(RecordedServer.streaming(pause, pieces));
            assertThat(stream()).isEqualTo(new ChatOutcome.Answer("whole", "unknown", null, null));
        }
    }

    @Test
    void bytesOfACharacterMayArriveApart() throws IOException {
        byte[] bytes = file("vllm_stream.txt").replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
        ChatStream stream = new ChatStream("r7", new Reader(Integer.MAX_VALUE));
        for (byte one : bytes) {
            stream.received(new byte[] {one});
        }
        assertThat(stream.answer().text()).contains("用户在订票", "买票");
    }

    @Test
    void aServerThatDoesNotStreamIsReadWhole() throws IOException {
        server.record(RecordedServer.said("whole", "length"));
        assertThat(stream()).isEqualTo(new ChatOutcome.Answer("whole", "length", 11, 7));
        assertThat(texts).containsExactly("whole");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"error\":{\"message\":\"no GPU\"}} | the answer has no message with a text: \"{\"error\":{\"message\":\"no GPU\"}}\"",
                "data: {\"error\":{\"message\":\"no GPU\",\"code\":500}} | the server ended its answer with the error \"no GPU\"",
                "data: {\"object\":\"error\",\"message\":\"no GPU\"} | the server ended its answer with the error \"no GPU\"",
                "data: oops | the answer is not JSON: \"oops\"",
                "<html>a proxy</html> | the answer is not JSON: \"<html>a proxy</html>\"",
                "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]} | the answer has no finish_reason"
            })
    void aBodyWithoutAWholeAnswerFails(String body, String message) {
        server.record(RecordedServer.streaming(0, body + "\n\n"));
        assertThatThrownBy(this::stream).isInstanceOf(IOException.class).hasMessage(message);
        assertThat(server.bodies()).as("not tried again").hasSize(1);
    }

    @Test
    void aServerThatDiesAmidItsAnswerFailsAndNoOtherStartsOver() throws IOException {
        server.record(RecordedServer.streaming(20, RecordedServer.delta("half"), null));
        try (RecordedServer other = new RecordedServer();
                ChatClient client = client("qwen", 20, server.baseUrl(), other.baseUrl())) {
            assertThatThrownBy(() -> client.stream(REQUEST, new Reader(9))).isInstanceOf(IOException.class);
            assertThat(texts).containsExactly("half");
            assertThat(other.bodies()).isEmpty();
        }
    }

    @Test
    void beforeTheFirstTextAnotherServerTakesOver() throws IOException {
        server.record(RecordedServer.json(500, "{}"));
        try (RecordedServer other = new RecordedServer().record(RecordedServer.streaming(List.of("yes")));
                ChatClient client = client("qwen", 20, server.baseUrl(), other.baseUrl())) {
            assertThat(client.stream(REQUEST, new Reader(9))).isEqualTo(new ChatOutcome.Answer("yes", "stop", 11, 7));
        }
    }

    @Test
    void aBusyServerSaysWhenToComeBack() {
        server.record(RecordedServer.json(429, "{}", "Retry-After", "7"), RecordedServer.json(503, "{}"));
        BusyException limit = (BusyException) catchThrowable(this::stream);
        assertThat(limit.status()).isEqualTo(429);
        assertThat(limit.retryAfter()).isEqualTo(Duration.ofSeconds(7));
        BusyException down = (BusyException) catchThrowable(this::stream);
        assertThat(down.status()).isEqualTo(503);
        assertThat(down.retryAfter()).isNull();
    }

    @Test
    void aRefusalIsAnOutcome() throws IOException {
        server.record(
                RecordedServer.json(400, "{\"error\":{\"message\":\"m\",\"code\":\"context_length_exceeded\"}}"),
                RecordedServer.json(400, "{\"error\":{\"message\":\"unknown field\"}}"));
        assertThat(stream()).isEqualTo(new ChatOutcome.TooLong("\"m\""));
        assertThat(((ChatOutcome.Refused) stream()).why()).contains("status 400: \"unknown field\"");
    }

    @Test
    void aSilentServerTimesOut() {
        server.record(RecordedServer.silent(3000));
        Reader reader = new Reader(Integer.MAX_VALUE);
        try (ChatClient client = client("qwen", 1)) {
            assertThatThrownBy(() -> client.stream(REQUEST, reader))
                    .isInstanceOf(HttpTimeoutException.class)
                    .hasMessageContaining("no whole answer of " + server.baseUrl());
        }
        assertThat(reader.waited).isBetween(3, 11);
    }

    @Test
    void aClientThatLeavesCancelsTheServersRequest() throws InterruptedException {
        @Nullable String[] endless = new String[2000];
        Arrays.fill(endless, RecordedServer.delta("on"));
        server.record(RecordedServer.streaming(5, endless));
        try (ChatClient client = client("qwen", 20)) {
            assertThatThrownBy(() -> client.stream(REQUEST, new Reader(3))).hasMessage("the client left");
        }
        assertThat(server.awaitGoneClient()).isTrue();
    }

    @Test
    void checkFindsAnotherModelAndPassesOverAServerThatIsDown() throws IOException {
        String down;
        try (ServerSocket free = new ServerSocket(0)) {
            down = "http://127.0.0.1:" + free.getLocalPort() + "/v1";
        }
        try (ChatClient client = client("llama", 20);
                ChatClient dead = client("qwen", 20, down)) {
            assertThatThrownBy(client::check)
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessageContaining(
                            server.baseUrl()
                                    + " does not have the model \"llama\", it has [qwen, smol]; each of server.urls must have it");
            dead.check();
            assertThatThrownBy(() -> dead.stream(REQUEST, new Reader(9))).isInstanceOf(IOException.class);
        }
        server.record(RecordedServer.json(404, "{\"error\":{\"message\":\"no such model\"}}"));
        assertThatThrownBy(this::stream)
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("the requested model is \"qwen\", the server has [qwen, smol]");
    }
}
