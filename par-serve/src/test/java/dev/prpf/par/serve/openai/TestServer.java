package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.chat.ChatTemplate;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.openai.OpenAiRoutes.EmbeddingModel;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A server of a model with single-byte tokens. Every chat is answered {@link #ANSWER}. A text that ends with a digit is continued with the next
 * digits, cyclically and without end.
 */
final class TestServer implements AutoCloseable {
    /** The answer, without a duplicate byte. */
    static final String ANSWER = "abc 火é!z";

    /** The path of chats. */
    static final String CHAT = "/v1/chat/completions";

    /** The fields of a chat that says hello. */
    static final String HELLO = "'model': 'tiny', 'messages': [{'role': 'user', 'content': 'hello'}]";

    static final ServiceSettings SMALL = new ServiceSettings(4, 512, 64, 0, 8, 60);
    static final ServiceSettings ROOMY = new ServiceSettings(2, 4096, 256, 0, 2, 60);
    static final ServiceSettings ONE_LONG = new ServiceSettings(1, 200_000, 64, 0, 0, 60);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    final Tokenizer tokenizer;
    final CausalLm decoder;
    final GenerationService service;
    final ApiServer server;

    TestServer(Path directory, ServiceSettings settings) {
        this(directory, settings, ChatTemplates.CHATML);
    }

    TestServer(Path directory, ServiceSettings settings, ChatTemplate template) {
        int vocabulary = SmallTokenizer.write(directory, "<think>", "</think>", "<tool_call>", "</tool_call>");
        tokenizer = Tokenizer.load(directory);
        int end = (int) tokenizer.controlToken("<|im_end|>");
        decoder = new ScriptedModel()
                .script(LongStream.concat(ids("\n" + ANSWER), LongStream.of(end))
                        .toArray())
                .script(ids("01234567890").toArray())
                .make(vocabulary, settings.maxPositions());
        ServerMetrics metrics = new ServerMetrics();
        service = new GenerationService(decoder, settings, metrics, "tiny");
        ServedModel model = new ServedModel(
                List.of("tiny", "alias"),
                new ChatTokenizer(tokenizer, template),
                new GenerationDefaults(false, new Sampling(1, 50, 1), 1, List.of(end), List.of()),
                service,
                Instant.ofEpochSecond(7));
        server = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                ServeConfig.DEFAULT.http(),
                metrics,
                List.of(new OpenAiRoutes(
                        model,
                        List.of(),
                        new EmbeddingModel("letters", new LetterEncoder()),
                        new RequestBody(ServeConfig.DEFAULT.http()),
                        metrics)),
                () -> true);
    }

    private LongStream ids(String text) {
        return LongStream.of(tokenizer.encodePlain(text));
    }

    /** The body of a chat that says hello, with more fields. */
    static String hello(String more) {
        return "{" + HELLO + more + "}";
    }

    /** A template among those that the tests of chats compare. */
    static ChatTemplate template(String name) {
        return ChatTemplates.ofFile(Path.of("src/test/resources/golden/chat-templates", name + ".jinja"));
    }

    private static HttpRequest.Builder request(String address) {
        return HttpRequest.newBuilder(URI.create(address)).header("Content-Type", "application/json");
    }

    /** @param body JSON, with ' for " */
    HttpResponse<String> post(String path, String body) {
        return send(request(server.address() + path)
                .POST(BodyPublishers.ofString(body.replace('\'', '"')))
                .build());
    }

    HttpResponse<String> get(String path) {
        return send(request(server.address() + path).build());
    }

    private static HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The answer of a request that succeeds. */
    JsonNode ask(String path, String body) {
        HttpResponse<String> response = post(path, body);
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + " " + response.body());
        }
        return json(response.body());
    }

    /** The error of one that fails. */
    JsonNode refused(int status, String path, String body) {
        HttpResponse<String> response = post(path, body);
        if (response.statusCode() != status) {
            throw new AssertionError(response.statusCode() + " " + response.body());
        }
        return json(response.body()).path("error");
    }

    /** The events of a stream that ends as it should. */
    List<JsonNode> events(String path, String body) {
        HttpResponse<String> response = post(path, body);
        if (response.statusCode() != 200 || !response.body().endsWith("data: [DONE]\n\n")) {
            throw new AssertionError(response.statusCode() + " " + response.body());
        }
        return response.body()
                .lines()
                .filter(line -> line.startsWith("data: {"))
                .map(line -> json(line.substring(6)))
                .toList();
    }

    /** The body as it comes; closing it hangs up. */
    InputStream open(String path, String body) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        request(server.address() + path)
                                .POST(BodyPublishers.ofString(body.replace('\'', '"')))
                                .build(),
                        BodyHandlers.ofInputStream())
                .body();
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }

    /** Without what differs from one answer to the next. */
    static String masked(JsonNode answer) {
        return answer.toString()
                .replaceAll("-[0-9a-f]{8}-[0-9a-f-]{27}\"", "-ID\"")
                .replaceAll("\"created\":\\d+", "\"created\":0");
    }

    /** Waits until the metrics hold a line. */
    void awaitMetric(String line) throws InterruptedException {
        for (int i = 0; i < 3000; i++) {
            if (get("/metrics").body().contains(line)) {
                return;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("no " + line + " in " + get("/metrics").body());
    }

    @Override
    public void close() {
        service.close();
        server.close();
        decoder.close();
        tokenizer.close();
    }
}
