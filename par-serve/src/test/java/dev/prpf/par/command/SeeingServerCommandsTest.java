package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.ServedParts;
import dev.prpf.par.serve.cascade.CascadeSettings;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server of a model that {@code reasoner init --vision} made and {@code reasoner adopt} registered for pixels: its tower, prefix cache and batch are the real ones. */
class SeeingServerCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String CHAT = "/v1/chat/completions";
    private static final String RECOMMEND = "/v1/recommend";
    private static final int WIDTH = 96;
    private static final int HEIGHT = 160;
    private static final int VISUAL_TOKENS = WIDTH / 32 * HEIGHT / 32;

    @TempDir
    private static Path folder;

    private static ServedParts parts;
    private static ApiServer server;

    @BeforeAll
    static void start() throws IOException {
        Path text = Files.writeString(folder.resolve("text.txt"), "打开设置，关闭蓝牙。蓝牙已打开。设置蓝牙。");
        String base = folder.resolve("base").toString();
        Path model = folder.resolve("seeing");
        made(
                "init",
                "reasoner-init-vision.yaml",
                "--vision",
                "--text",
                text.toString(),
                "--out",
                base,
                "--set=model.initializer-range=0.3");
        made(
                "adopt",
                "reasoner-adopt.yaml",
                "--reasoner",
                base,
                "--out",
                model.toString(),
                "--set=prompt.wording=brief",
                "--set=prompt.pool=names",
                "--set=prompt.screenshots=pixels");
        ServeConfig config = new ServeConfig(
                ServeConfig.DEFAULT.http(),
                new ServiceSettings(4, 1024, 256, 16, 16, 60),
                new CascadeSettings(2, 16, false, 8, 2000, 8, 60, 4, false),
                ServeConfig.DEFAULT.sessions(),
                ServeConfig.DEFAULT.reward(),
                ServeConfig.DEFAULT.policy(),
                ServeConfig.DEFAULT.roles());
        parts = ServedParts.open(
                new ServedParts.Places(
                        null,
                        model,
                        null,
                        null,
                        Prompts.POOL,
                        Prompts.CATALOG,
                        null,
                        Precision.FP32,
                        null,
                        List.of(),
                        List.of()),
                config,
                ApiKeys.NONE);
        server = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                config.http(),
                parts.metrics(),
                parts.routes(),
                parts::works);
    }

    private static void made(String command, String config, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of(command, "--config", SmallWorld.CONFIGS.resolve(config).toString()));
        arguments.addAll(List.of(more));
        SmallWorld.run(0, arguments);
    }

    @AfterAll
    static void stop() {
        server.close();
        parts.close();
    }

    private static String image(int seed) throws IOException {
        Path file = DrawnImages.draw(folder.resolve(seed + ".png"), WIDTH, HEIGHT, seed);
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(Files.readAllBytes(file));
    }

    private static CompletableFuture<String> send(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.address() + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return response.body();
        });
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }

    private static JsonNode ask(String path, String body) {
        return json(send(path, body).join());
    }

    /** The {@code data:} lines of a stream that hold objects. */
    private static List<JsonNode> events(String path, String body) {
        return send(path, body)
                .join()
                .lines()
                .filter(line -> line.startsWith("data: {"))
                .map(line -> json(line.substring("data: ".length())))
                .toList();
    }

    private static String chat(String parts, String more) {
        return "{'max_tokens': 8, 'temperature': 0, 'logprobs': true, 'messages': [{'role': 'user', 'content': ["
                + parts + "{'type': 'text', 'text': '打开设置，关闭蓝牙。蓝牙已打开。设置蓝牙。'}]}]" + more + "}";
    }

    private static String part(int seed) throws IOException {
        return "{'type': 'image_url', 'image_url': {'url': '" + image(seed) + "'}},";
    }

    private static JsonNode asked(int seed) throws IOException {
        return ask(CHAT, chat(part(seed), ""));
    }

    private static double[] logprobs(JsonNode answer) {
        JsonNode tokens = answer.at("/choices/0/logprobs/content");
        assertThat(tokens.size()).isPositive();
        return IntStream.range(0, tokens.size())
                .mapToDouble(i -> tokens.get(i).get("logprob").doubleValue())
                .toArray();
    }

    /** The largest difference between log-probabilities of tokens in the same place. */
    private static double distance(JsonNode one, JsonNode other) {
        double[] a = logprobs(one);
        double[] b = logprobs(other);
        return IntStream.range(0, Math.min(a.length, b.length))
                .mapToDouble(i -> Math.abs(a[i] - b[i]))
                .max()
                .orElseThrow();
    }

    private static String moment(int seed, String more) throws IOException {
        return "{'profile': '爱吃辣', 'phone': '电量 80%', 'world': '18:30，下雨', 'passive': true, 'trace': ["
                + "{'source': 'picture', 'picture': '" + image(seed) + "'}]" + more + "}";
    }

    @Test
    void chatAnswerDependsOnTheImage_alsoThroughThePrefixCache() throws IOException {
        JsonNode first = asked(1);
        JsonNode other = asked(2);
        JsonNode again = asked(1);
        assertThat(first.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                .isZero();
        assertThat(again.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                .as("the image is part of what is kept")
                .isGreaterThan(VISUAL_TOKENS);
        assertThat(other.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                .as("another image is not")
                .isLessThan(VISUAL_TOKENS);
        assertThat(distance(first, again)).isLessThan(1e-4);
        assertThat(distance(first, other)).isGreaterThan(1e-3);
    }

    @Test
    void usageCountsTheImagesTokens() throws IOException {
        JsonNode seen = asked(3);
        JsonNode text = ask(CHAT, chat("", ""));
        int more = seen.at("/usage/prompt_tokens").intValue()
                - text.at("/usage/prompt_tokens").intValue();
        assertThat(more).as("with the tokens before and behind it").isEqualTo(VISUAL_TOKENS + 2);
        assertThat(seen.at("/usage/total_tokens").intValue())
                .isEqualTo(seen.at("/usage/prompt_tokens").intValue()
                        + seen.at("/usage/completion_tokens").intValue());
    }

    @Test
    void aStreamIsTheWholeAnswer() throws IOException {
        JsonNode whole = asked(4);
        List<JsonNode> events =
                events(CHAT, chat(part(4), ", 'stream': true, 'stream_options': {'include_usage': true}"));
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append(event.at("/choices/0/delta/content").asText("")));
        assertThat(text).hasToString(whole.at("/choices/0/message/content").asText());
        JsonNode usage = events.get(events.size() - 1).get("usage");
        for (String count : List.of("prompt_tokens", "completion_tokens")) {
            assertThat(usage.get(count)).isEqualTo(whole.at("/usage/" + count));
        }
    }

    @Test
    void twoAtOnceEachSeeTheirOwnImage() throws IOException {
        CompletableFuture<String> five = send(CHAT, chat(part(5), ""));
        CompletableFuture<String> six = send(CHAT, chat(part(6), ""));
        JsonNode fifth = json(five.join());
        JsonNode sixth = json(six.join());
        assertThat(distance(fifth, asked(5))).isLessThan(1e-4);
        assertThat(distance(sixth, asked(6))).isLessThan(1e-4);
        assertThat(distance(fifth, sixth)).isGreaterThan(1e-3);
    }

    @Test
    void aRecommendationDependsOnTheImage() throws IOException {
        JsonNode first = ask(RECOMMEND, moment(7, ""));
        assertThat(first.get("route").asText()).isEqualTo("reasoned");
        assertThat(first.at("/cost/visual_tokens").intValue()).isEqualTo(VISUAL_TOKENS);
        assertThat(first.at("/cost/prompt_tokens").intValue()).isGreaterThan(VISUAL_TOKENS);
        assertThat(first.at("/cost/flops/frame_encoder").doubleValue())
                .as("the tower")
                .isPositive();
        JsonNode again = ask(RECOMMEND, moment(7, ""));
        assertThat(again.get("response")).isEqualTo(first.get("response"));
        assertThat(again.at("/cost/flops/frame_encoder").doubleValue())
                .as("what was seen before costs nothing")
                .isZero();
        List<String> responses = new ArrayList<>();
        for (int seed = 1; seed <= 6; seed++) {
            responses.add(ask(RECOMMEND, moment(seed, "")).get("response").asText());
        }
        assertThat(responses.stream().distinct().count())
                .as(responses.toString())
                .isGreaterThan(1);
    }

    @Test
    void aRecommendationIsStreamed() throws IOException {
        JsonNode whole = ask(RECOMMEND, moment(2, ""));
        List<JsonNode> events = events(RECOMMEND, moment(2, ", 'stream': true"));
        JsonNode result = events.get(events.size() - 1);
        assertThat(result.get("response")).isEqualTo(whole.get("response"));
        assertThat(result.at("/cost/visual_tokens").intValue()).isEqualTo(VISUAL_TOKENS);
    }
}
