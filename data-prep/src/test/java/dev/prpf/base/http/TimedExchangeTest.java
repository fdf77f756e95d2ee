package dev.prpf.base.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimedExchangeTest {
    private static final int LIMIT = 100_000;

    private final HttpClient client = TimedExchange.client(Duration.ofSeconds(5));
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/exact", exchange -> {
            exchange.sendResponseHeaders(200, LIMIT);
            exchange.getResponseBody().write(new byte[LIMIT]);
            exchange.close();
        });
        server.createContext("/endless", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                while (end.getCount() > 0) {
                    out.write(new byte[1 << 14]);
                }
            }
        });
        server.createContext("/packed", exchange -> {
            String kind = exchange.getRequestURI().getQuery();
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (OutputStream out =
                    kind.equals("deflate") ? new DeflaterOutputStream(packed) : new GZIPOutputStream(packed)) {
                out.write(new byte[kind.equals("bomb") ? 2 * LIMIT : 1_000]);
            }
            exchange.getResponseHeaders().set("Content-Encoding", kind.equals("bomb") ? "gzip" : kind);
            exchange.sendResponseHeaders(200, packed.size());
            exchange.getResponseBody().write(packed.toByteArray());
            exchange.close();
        });
        server.createContext("/slow", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private HttpRequest get(String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path))
                .build();
    }

    @Test
    void anAnswerOfTheGreatestSizeComesWhole() throws Exception {
        assertThat(TimedExchange.send(client, get("/exact"), Duration.ofSeconds(20), LIMIT)
                        .body())
                .hasSize(LIMIT);
    }

    @Test
    void anAnswerWithoutAnEndIsLeft() {
        HttpRequest request = get("/endless");
        assertThatThrownBy(() -> TimedExchange.send(client, request, Duration.ofSeconds(60), LIMIT))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(request.uri() + " answers with more than 100000 bytes, which is more than any right answer"
                        + " has; is it the server it should be?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "X-GZIP", "deflate"})
    void aCompressedAnswerIsUnpacked(String kind) throws Exception {
        assertThat(TimedExchange.send(client, get("/packed?" + kind), Duration.ofSeconds(20), LIMIT)
                        .body())
                .isEqualTo(new byte[1_000]);
    }

    @Test
    void aCompressedAnswerIsBoundedOnceItIsUnpacked() {
        assertThatThrownBy(() -> TimedExchange.send(client, get("/packed?bomb"), Duration.ofSeconds(20), LIMIT))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("answers with more than 100000 bytes");
    }

    @Test
    void anUnknownCompressionIsNamed() {
        assertThatThrownBy(() -> TimedExchange.send(client, get("/packed?br"), Duration.ofSeconds(20), LIMIT))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("answers with Content-Encoding \"br\", must be gzip, deflate or identity");
    }

    @Test
    void anAnswerThatDoesNotComeToItsEndInTimeIsLeft() {
        assertThatThrownBy(() -> TimedExchange.send(client, get("/slow"), Duration.ofSeconds(1), LIMIT))
                .isInstanceOf(HttpTimeoutException.class)
                .hasMessageContaining("within 1 s");
    }
}
