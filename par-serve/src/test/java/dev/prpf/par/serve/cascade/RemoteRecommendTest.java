package dev.prpf.par.serve.cascade;

import static dev.prpf.par.serve.cascade.CascadeWorld.json;
import static dev.prpf.par.serve.cascade.CascadeWorld.moment;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.Sample;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.openai.RecordedServer;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.serve.cascade.CascadeWorld.Served;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.KeyShare;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Recommendations of a reasoner on a server. */
class RemoteRecommendTest {
    private static final String PATH = "/v1/recommend";
    private static final String CALLS =
            "[{\"instruction\":\"点面\",\"function\":[{\"name\":\"order_food\",\"parameters\":{\"dish\":\"面\"}}]}]";
    private static final String THOUGHT = "<thinking>饿了<function_selection>order_food</function_selection></thinking>";
    private static PerceiverService perceiver;

    private final RecordingPolicy policy = new RecordingPolicy();

    @TempDir
    private Path folder;

    private RecordedServer remote;
    private ChatClient client;
    private Served served;

    /** Shortlists {@code book_transport} and {@code order_food}. */
    private record FixedPerceiver(String id) implements Perceiver {
        @Override
        public List<Perception> perceive(List<Sample> samples) {
            return Collections.nCopies(samples.size(), Prompts.perception());
        }

        @Override
        public void close() {}
    }

    @BeforeAll
    static void load() {
        PerceiverService.Parts real = CascadeWorld.perceiver(null);
        perceiver =
                CascadeWorld.service(new PerceiverService.Parts(new FixedPerceiver("fixed"), null, real.encoders()));
    }

    @AfterAll
    static void unload() {
        perceiver.close();
    }

    @BeforeEach
    void start() throws IOException {
        remote = new RecordedServer();
        connect(1);
        serve(perceiver, StructuredOutput.NONE, ScreenshotForm.OCR);
    }

    private void connect(int seconds) {
        ServerSettings reached = new ServerSettings(List.of(remote.baseUrl()), null, 2, 2, seconds, 6, 60, null);
        client = new ChatClient(reached, "qwen", Map.of(), () -> false);
    }

    @AfterEach
    void stop() {
        served.close();
        client.close();
        remote.close();
    }

    private void serve(PerceiverService scoring, StructuredOutput structured, ScreenshotForm screenshots) {
        PromptSettings prompt = new PromptSettings(
                PromptLayout.PAPER, PromptWording.FULL, PoolRendering.FULL, true, ReasoningMode.FULL, null);
        RemoteSettings settings = new RemoteSettings(
                "qwen",
                new SamplingSettings(0, 1, 64, 5L, JsonNodeFactory.instance.objectNode()),
                structured,
                prompt.with(screenshots, null));
        RemoteServedReasoner reasoner = new RemoteServedReasoner(
                settings,
                client,
                Prompts.CATALOG,
                scoring,
                new FairGate.Limits(new KeyShare(2, false), 1, Duration.ofSeconds(20)));
        if (served != null) {
            served.close();
        }
        served = CascadeWorld.serve(scoring, reasoner, policy, ApiKeys.NONE);
    }

    private static ObjectNode body() {
        return moment("爱吃辣", "打开地图").put("threshold", 0);
    }

    private JsonNode refused(int status) {
        HttpResponse<String> answer = served.post(PATH, body().toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(policy.outcome().silence()).isEqualTo("failed");
        assertThat(answer.body()).as("no address").doesNotContain("127.0.0.1");
        return json(answer.body()).path("error");
    }

    private record Event(String name, JsonNode data) {}

    private List<Event> stream() {
        HttpResponse<String> answer =
                served.post(PATH, body().put("stream", true).toString());
        return Arrays.stream(answer.body().strip().split("\n\n", -1))
                .filter(block -> !block.startsWith(":"))
                .map(block -> block.split("\n", 2))
                .map(lines ->
                        new Event(lines[0].substring("event: ".length()), json(lines[1].substring("data: ".length()))))
                .toList();
    }

    private static String text(List<Event> events, String part) {
        return events.stream()
                .filter(event -> event.data().path("part").asText().equals(part))
                .map(event -> event.data().path("text").textValue())
                .collect(Collectors.joining());
    }

    @Test
    void theServersWordsStayOutOfTheLog() {
        assertThat(RemoteServedReasoner.withoutQuotation("http://h answers with 400: \"input: \"要\" is no text\"; see"))
                .isEqualTo("http://h answers with 400: (the server's words are left out); see");
        assertThat(RemoteServedReasoner.withoutQuotation("the connection is refused"))
                .isEqualTo("the connection is refused");
    }

    @Test
    void theServersAnswerIsRecommended() {
        String answer = THOUGHT + "<recommendations>" + CALLS + "</recommendations>";
        remote.record(RecordedServer.streaming(List.of(answer.substring(0, 30), answer.substring(30))));
        JsonNode answered = served.ask(PATH, body());
        assertThat(answered.path("response").textValue()).isEqualTo(answer);
        assertThat(answered.path("recommendations")).isEqualTo(json(CALLS.replace("\"function\"", "\"functions\"")));
        assertThat(answered.path("silence").isNull()).isTrue();
        assertThat(answered.path("finish").textValue()).isEqualTo("stop");
        assertThat(answered.at("/cost/prompt_tokens").intValue()).isEqualTo(11);
        assertThat(answered.at("/cost/new_tokens").intValue()).isEqualTo(7);
        assertThat(policy.outcome().intervention()).isTrue();
        JsonNode asked = remote.bodies().get(0);
        assertThat(asked.path("model").textValue()).isEqualTo("qwen");
        assertThat(asked.at("/messages/1/content").asText()).contains("爱吃辣", "打开地图");
    }

    @Test
    void aStreamPassesThroughPartByPart() {
        remote.record(RecordedServer.streaming(
                List.of("<think", "ing>要", "记</thinking><recomm", "endations>", CALLS, "</recommendations>")));
        List<Event> events = stream();
        assertThat(events).extracting(Event::name).containsExactly("perception", "delta", "delta", "delta", "result");
        assertThat(text(events, "thinking")).isEqualTo("要记");
        assertThat(text(events, "recommendations")).isEqualTo(CALLS);
    }

    @Test
    void aSchemaIsSentAndItsAnswerStreams() {
        serve(perceiver, StructuredOutput.JSON_SCHEMA, ScreenshotForm.OCR);
        remote.record(RecordedServer.streaming(List.of(
                "{\"thinking\": \"要",
                "\\\"记\\\"\", \"function_sel",
                "ection\": \"f\", \"recommendations\": ",
                CALLS + "}")));
        List<Event> events = stream();
        assertThat(text(events, "thinking")).isEqualTo("要\"记\"f");
        assertThat(text(events, "recommendations")).isEqualTo(CALLS);
        JsonNode result = events.get(events.size() - 1).data();
        assertThat(result.path("silence").isNull()).as(result.toString()).isTrue();
        JsonNode format = remote.bodies().get(0).path("response_format");
        assertThat(format.path("type").asText()).isEqualTo("json_schema");
        assertThat(format.findValuesAsText("const")).containsExactlyInAnyOrder("book_transport", "order_food");
    }

    @Test
    void anAnswerThatIgnoresTheSchemaIsMalformed() {
        serve(perceiver, StructuredOutput.JSON_SCHEMA, ScreenshotForm.OCR);
        String schema = "{\"thinking\":\"t\",\"function_selection\":\"f\",\"recommendations\":" + CALLS + "}";
        for (String answer : List.of(
                "Sure! I would order noodles.",
                "{\"recommendations\":" + CALLS + "}",
                schema.replace("order_food", "launch_rocket"),
                schema.replace("order_food", "create_note"),
                schema.replace("dish", "meal"))) {
            remote.record(RecordedServer.streaming(List.of(answer)));
            JsonNode answered = served.ask(PATH, body());
            assertThat(answered.path("silence").textValue()).as(answer).isEqualTo("malformed");
            assertThat(answered.path("recommendations").isNull()).isTrue();
            assertThat(policy.outcome().intervention()).isFalse();
        }
    }

    @Test
    void anAnswerInAnotherFieldIsMalformed() {
        for (String field : List.of("reasoning_content", "reasoning")) {
            remote.record(RecordedServer.streaming(
                    0,
                    "data: {\"choices\":[{\"delta\":{\"" + field + "\":\"hm\"},\"finish_reason\":\"stop\"}]}\n\n",
                    "data: [DONE]\n\n"));
            assertThat(served.ask(PATH, body()).path("silence").textValue()).isEqualTo("malformed");
        }
    }

    @Test
    void theLogOfAnEmptyAnswer_hasTheRequestId() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ChatClient.class);
        logger.addAppender(log);
        remote.record(RecordedServer.streaming(List.of("")));
        HttpResponse<String> answer = served.post(PATH, body().toString());
        logger.detachAppender(log);
        assertThat(answer.body()).contains("\"malformed\"");
        policy.outcome();
        String id = answer.headers().firstValue("X-Request-Id").orElseThrow();
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("sample " + id + ": the server's answer is empty");
    }

    @Test
    void aDeadServerFailsRecommendationsAndScoringGoesOn() {
        remote.close();
        assertThat(refused(503).path("message").textValue())
                .isEqualTo("the reasoner's server gave no whole answer; try again later, perceiving still works");
        assertThat(served.post(PATH, body().toString()).headers().firstValue("Retry-After"))
                .hasValue("2");
        assertThat(served.ask("/v1/perceive", body()).path("trigger").booleanValue())
                .isTrue();
        assertThat(served.ask(PATH, body().put("threshold", 1)).path("silence").textValue())
                .isEqualTo("below-threshold");
        List<Event> events = stream();
        assertThat(events).extracting(Event::name).containsExactly("perception", "error");
        assertThat(events.get(1).data().at("/error/code").textValue()).isEqualTo("unavailable");
    }

    @Test
    void eachFailureOfTheServerHasItsStatus() {
        remote.record(RecordedServer.json(429, "{}", "Retry-After", "9"));
        HttpResponse<String> busy = served.post(PATH, body().toString());
        assertThat(busy.statusCode()).isEqualTo(429);
        assertThat(busy.headers().firstValue("Retry-After")).hasValue("9");
        policy.outcome();
        remote.record(
                RecordedServer.json(200, "{\"error\":{\"message\":\"no GPU\"}}"),
                RecordedServer.json(401, "{}"),
                RecordedServer.json(404, "{}"),
                RecordedServer.json(400, "{\"error\":{\"message\":\"no response_format\"}}"),
                RecordedServer.json(400, "{\"error\":{\"message\":\"m\",\"code\":\"context_length_exceeded\"}}"),
                RecordedServer.silent(2000));
        assertThat(refused(503).path("message").textValue()).contains("gave no whole answer");
        for (int status : new int[] {401, 404, 400}) {
            assertThat(refused(503).path("message").textValue())
                    .as("%s", status)
                    .contains("the reasoner's server cannot be used; the log has the reason under ");
        }
        JsonNode tooLong = refused(400);
        assertThat(tooLong.path("code").textValue()).isEqualTo("context_length_exceeded");
        assertThat(tooLong.path("message").textValue())
                .as("without the server's words")
                .isEqualTo("the prompt is too long for the model; send a shorter trajectory or context");
        assertThat(refused(504).path("message").textValue()).contains("did not end its answer");
    }

    /** 65 MiB, one more than a body may have. */
    @Test
    void anAnswerWithoutAnEndFailsLikeEveryOther() {
        connect(30);
        serve(perceiver, StructuredOutput.NONE, ScreenshotForm.OCR);
        String[] pieces = new String[65];
        Arrays.fill(pieces, ": " + "x".repeat((1 << 20) - 4) + "\n\n");
        remote.record(RecordedServer.streaming(0, pieces), RecordedServer.streaming(0, pieces));
        assertThat(refused(503).path("message").textValue())
                .startsWith("the reasoner's server cannot be used; the log has the reason under ");
        List<Event> events = stream();
        assertThat(events).extracting(Event::name).containsExactly("perception", "error");
        assertThat(events.get(1).data().at("/error/type").textValue()).isEqualTo("service_unavailable_error");
    }

    @Test
    void aServerThatDiesAmidAStreamEndsItWithAnErrorAndWhatWasShownCounts() {
        remote.record(
                RecordedServer.streaming(20, RecordedServer.delta("<thinking>要"), RecordedServer.delta("记"), null));
        List<Event> events = stream();
        assertThat(events).extracting(Event::name).containsExactly("perception", "delta", "delta", "error");
        assertThat(events.get(3).data().at("/error/type").textValue()).isEqualTo("service_unavailable_error");
        assertThat(policy.outcome().intervention()).as("it was shown").isTrue();
    }

    @Test
    void aRefusalOfThePolicyCancelsTheServersRequest() throws InterruptedException {
        policy.refusal = "daily-limit";
        remote.record(endless());
        List<Event> events = stream();
        assertThat(events).extracting(Event::name).containsExactly("perception", "result");
        assertThat(events.get(1).data().path("silence").textValue()).isEqualTo("daily-limit");
        assertThat(remote.awaitGoneClient()).isTrue();
    }

    private static RecordedServer.Reply endless() {
        @Nullable String[] pieces = new String[2000];
        Arrays.fill(pieces, RecordedServer.delta("<thinking>"));
        pieces[1] = RecordedServer.delta("要");
        return RecordedServer.streaming(5, pieces);
    }

    @Test
    void aClientThatHangsUpCancelsTheServersRequest() throws Exception {
        remote.record(endless());
        byte[] bytes = body().toString().getBytes(StandardCharsets.UTF_8);
        URI address = URI.create(served.server().address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.getOutputStream()
                    .write(("POST /v1/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: " + bytes.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(bytes);
            while (remote.bodies().isEmpty()) {
                Thread.sleep(5);
            }
        }
        assertThat(remote.awaitGoneClient()).isTrue();
    }

    @Test
    void aServerThatSeesGetsTheImages() throws IOException {
        Path file = DrawnImages.draw(folder.resolve("p.png"), 64, 32, 1);
        String url = "data:image/png;base64," + Base64.getEncoder().encodeToString(Files.readAllBytes(file));
        ObjectNode seen = body().put("passive", true);
        seen.withArray("trace").addObject().put("source", "picture").put("picture", url);
        PerceiverService.Parts parts = CascadeWorld.perceiver(null);
        try (PerceiverService none = CascadeWorld.service(new PerceiverService.Parts(null, null, parts.encoders()))) {
            serve(none, StructuredOutput.NONE, ScreenshotForm.PIXELS);
            remote.record(RecordedServer.streaming(List.of("<recommendations>[]</recommendations>")));
            assertThat(served.ask(PATH, seen).path("silence").textValue()).isEqualTo("empty-response");
        }
        JsonNode content = remote.bodies().get(0).at("/messages/1/content");
        assertThat(content.findValuesAsText("url")).containsExactly(url);
        Objects.requireNonNull(parts.perceiver()).close();
    }
}
