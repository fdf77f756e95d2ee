package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.encode.text.TextEncoder.TokenEncoder;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.openai.OpenAiRoutes.EmbeddingModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingHandlerTest {
    private static final String PATH = "/v1/embeddings";
    private static final Duration LONG = Duration.ofSeconds(60);

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger slices = new AtomicInteger();
    private ApiKeys keys = ApiKeys.NONE;
    private ServerMetrics metrics = new ServerMetrics();

    /** Blocks in each slice until the test releases it. */
    private final class Waiting implements TokenEncoder {
        @Override
        public String id() {
            return "waiting";
        }

        @Override
        public int width() {
            return 1;
        }

        @Override
        public int vocabularySize() {
            return 10;
        }

        @Override
        public int tokensOf(String text) {
            return text.length();
        }

        @Override
        public int tokensOf(long[] ids) {
            return ids.length;
        }

        @Override
        public float[] encodeIds(long[] ids, Consumer<Runnable> turn) {
            return encodeLong("x".repeat(ids.length), turn);
        }

        @Override
        public float[][] encode(List<String> texts) {
            slices.incrementAndGet();
            begun.countDown();
            try {
                if (!texts.equals(List.of("short"))) {
                    goOn.await();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return texts.stream().map(text -> new float[] {text.length()}).toArray(float[][]::new);
        }

        @Override
        public void close() {}
    }

    private ApiServer start(int atOnce, Duration longest) {
        EmbeddingHandler handler = new EmbeddingHandler(
                new EmbeddingModel("waiting", new Waiting()), new EmbeddingHandler.Limits(atOnce, longest), metrics);
        RequestBody body = new RequestBody(ServeConfig.DEFAULT.http());
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, keys),
                ServeConfig.DEFAULT.http(),
                metrics,
                List.of(routes ->
                        routes.post(PATH, context -> handler.answer(context, body.fields(context), () -> {}))),
                () -> true);
    }

    private static String body(int texts) {
        String input = IntStream.range(0, texts)
                .mapToObj(i -> "\"" + "x".repeat(i + 1) + "\"")
                .collect(Collectors.joining(","));
        return "{\"model\": \"waiting\", \"input\": [" + input + "]}";
    }

    private static HttpResponse<String> post(ApiServer server, String body) {
        return post(server, body, "");
    }

    private static HttpResponse<String> post(ApiServer server, String body, String key) {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(server.address() + PATH))
                                    .header("Content-Type", "application/json")
                                    .header("Authorization", "Bearer " + key)
                                    .POST(BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void textsAreEncodedAFewAtATimeAndKeepTheirOrder() {
        goOn.countDown();
        try (ApiServer server = start(1, LONG)) {
            var data = TestServer.json(post(server, body(40)).body()).path("data");
            assertThat(data.valueStream()
                            .map(one -> one.at("/embedding/0").asInt())
                            .toList())
                    .isEqualTo(IntStream.rangeClosed(1, 40).boxed().toList());
            assertThat(slices).as("of about 256 characters").hasValue(4);
        }
    }

    @Test
    void eachTextOfTokenIdsHasATurn() {
        goOn.countDown();
        String input = IntStream.rangeClosed(1, 40)
                .mapToObj(i -> "[" + String.join(",", Collections.nCopies(i, "7")) + "]")
                .collect(Collectors.joining(","));
        try (ApiServer server = start(1, LONG)) {
            var answer = TestServer.json(post(server, "{\"model\": \"waiting\", \"input\": [" + input + "]}")
                    .body());
            assertThat(answer.path("data")
                            .valueStream()
                            .map(one -> one.at("/embedding/0").asInt())
                            .toList())
                    .isEqualTo(IntStream.rangeClosed(1, 40).boxed().toList());
            assertThat(answer.at("/usage/prompt_tokens").asInt()).isEqualTo(820);
            assertThat(slices).as("a turn for each").hasValue(40);
        }
    }

    /** A window of a long text takes many times as long as a short text. */
    @Test
    void aShortTextDoesNotWaitForAnotherKeysWindow(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "a key-of-the-attacker\nb key-of-the-victim-1\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        keys = ApiKeys.read(file);
        metrics = new ServerMetrics(keys);
        try (ApiServer server = start(32, LONG)) {
            List<CompletableFuture<HttpResponse<String>>> windows = IntStream.range(0, 3)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> post(server, body(1), "key-of-the-attacker")))
                    .toList();
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            String text = "{\"model\": \"waiting\", \"input\": \"short\"}";
            assertThat(post(server, text, "key-of-the-victim-1").statusCode()).isEqualTo(200);
            assertThat(slices).as("a window of one key at a time").hasValue(2);
            goOn.countDown();
            assertThat(windows).extracting(window -> window.join().statusCode()).containsOnly(200);
        }
    }

    @Test
    void moreRequestsThanItTakesAreRefused() throws Exception {
        try (ApiServer server = start(1, LONG)) {
            CompletableFuture<HttpResponse<String>> first = CompletableFuture.supplyAsync(() -> post(server, body(1)));
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            HttpResponse<String> refused = post(server, body(1));
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("2");
            assertThat(refused.body())
                    .contains("your share of 1 concurrent requests for embeddings is in use; try again later");
            goOn.countDown();
            assertThat(first.join().statusCode()).isEqualTo(200);
            assertThat(post(server, body(1)).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void itsTimeIsBoundedAndSoAreItsTexts() {
        goOn.countDown();
        try (ApiServer server = start(1, Duration.ZERO)) {
            assertThat(post(server, body(1)).statusCode()).isEqualTo(504);
            assertThat(slices).hasValue(0);
            assertThat(post(server, body(513)).body())
                    .contains("input must be a text, an array of token ids, or an array of 1 to 512 of either");
            assertThat(post(server, "{\"model\": \"waiting\", \"input\": \"" + "x".repeat(65_537) + "\"}")
                            .body())
                    .contains("input has more than 65536 characters or token ids in all");
            assertThat(post(server, "{\"model\": \"waiting\", \"input\": [[1" + ",1".repeat(65_536) + "]]}")
                            .body())
                    .contains("input has more than 65536 characters or token ids in all");
        }
    }

    @Test
    void whatAClientHungUpOnIsNotEncodedToItsEnd() throws Exception {
        try (ApiServer server = start(1, LONG)) {
            URI address = URI.create(server.address());
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                String body = body(160);
                socket.getOutputStream()
                        .write(("POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
                socket.shutdownOutput();
                goOn.countDown();
                assertThat(socket.getInputStream().readAllBytes())
                        .as("no answer of any status")
                        .isEmpty();
            }
            assertThat(slices.get()).isLessThan(10);
            for (int i = 0; i < 3000 && !metrics.scrape().contains("status=\"499\""); i++) {
                Thread.sleep(20);
            }
            assertThat(metrics.scrape())
                    .contains("prpf_http_request_seconds_count{route=\"" + PATH + "\",status=\"499\"} 1");
        }
    }
}
