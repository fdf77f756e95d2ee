package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One API key takes its largest share; another key still finds room and learns nothing about the first key. */
class KeysApartTest {
    private static final int HANDLERS = HostileRoutes.SMALL.threads() - RequestGate.RESERVED;
    private static final int SHARE = 6; // of 8: three times what stays free
    private static final int LONG = 4; // long requests, so that threads stay free

    private final HostileRoutes routes = new HostileRoutes();
    private final List<RawHttp> open = new ArrayList<>();

    @TempDir
    private Path folder;

    private ApiServer server;

    @BeforeEach
    void start() throws IOException {
        Path keys = folder.resolve("keys");
        Files.writeString(
                keys, "greedy greedy-greedy-greedy\nother other-other-other\nwatch watch-watch-watch-watch monitor\n");
        ApiKeys.read(keys);
        assertThat(Files.readAllLines(keys).get(2)).matches("watch sha256:[0-9a-f]{64} monitor");
        server = routes.start(ApiKeys.read(keys));
    }

    @AfterEach
    void stop() throws Exception {
        routes.goOn.countDown();
        for (RawHttp connection : open) {
            connection.close();
        }
        server.close();
    }

    private RawHttp send(String key, String request) throws IOException {
        RawHttp connection = new RawHttp(server);
        open.add(connection);
        return connection.send(request.replaceFirst("\r\n", "\r\nAuthorization: Bearer " + key + "\r\n"));
    }

    private String post(String key, String path) throws IOException {
        return send(key, RawHttp.post(path, "{\"say\": \"a\"}", "Connection: close"))
                .rest();
    }

    private String metrics(String key) throws IOException {
        return send(key, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .rest();
    }

    @Test
    void aKeyLeavesThreadsToOthers() throws Exception {
        for (int i = 0; i < HANDLERS; i++) {
            send("greedy-greedy-greedy", RawHttp.post("/slow", "{}", "Connection: close"));
        }
        routes.waiting.acquire(SHARE);
        assertThat(post("greedy-greedy-greedy", "/echo")).startsWith("HTTP/1.1 503");
        for (int i = 0; i < 3; i++) {
            assertThat(post("other-other-other", "/echo")).startsWith("HTTP/1.1 200");
            Thread.sleep(200); // a thread is free a moment after its answer came
        }
        assertThat(routes.waiting.availablePermits()).isZero();
        assertThat(metrics("greedy-greedy-greedy")).startsWith("HTTP/1.1 503");
        assertThat(metrics("other-other-other")).doesNotContain("prpf_http_refused_total");
        assertThat(metrics("watch-watch-watch-watch"))
                .contains("prpf_http_refused_total " + (double) (HANDLERS - SHARE + 2));
    }

    @Test
    void aKeyReadsFewLongRequestsAtOnce() throws Exception {
        KeyShare cores = new KeyShare(Runtime.getRuntime().availableProcessors(), true);
        int turns = 0;
        while (cores.allows(turns, turns, 1) && turns < LONG) {
            turns++;
        }
        String text = RawHttp.post("/read", "{\"say\": \"" + "a".repeat(9000) + "\"}", "Connection: close");
        for (int i = 0; i < LONG; i++) {
            send("greedy-greedy-greedy", text);
        }
        routes.waiting.acquire(turns);
        Thread.sleep(200);
        assertThat(routes.waiting.availablePermits())
                .as("the others wait for a turn")
                .isZero();
        send("other-other-other", RawHttp.post("/read", "{}", "Connection: close"));
        assertThat(routes.waiting.tryAcquire(10, TimeUnit.SECONDS))
                .as("a short request takes no turn")
                .isTrue();
        RawHttp last = send("other-other-other", text);
        routes.goOn.countDown();
        assertThat(last.rest()).startsWith("HTTP/1.1 200");
    }

    @Test
    void longAnswersOfAKeyLeaveMemoryToOthers() throws Exception {
        String request = RawHttp.post("/large", "{}", "Connection: close");
        for (int i = 0; i < 3; i++) {
            send("greedy-greedy-greedy", request);
            assertThat(routes.waiting.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(send("greedy-greedy-greedy", request).rest())
                .startsWith("HTTP/1.1 503")
                .contains("long bodies and answers fill the memory, or the share of one key");
        RawHttp other = send("other-other-other", request);
        assertThat(routes.waiting.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        routes.goOn.countDown();
        assertThat(other.rest()).startsWith("HTTP/1.1 200");
    }

    @Test
    void metricsShowAKeyItsOwnFigures() throws Exception {
        post("greedy-greedy-greedy", "/echo");
        post("other-other-other", "/bug");
        String counted = "prpf_http_request_seconds_count{route=\"/echo\",status=\"200\"} 1";
        String all = metrics("watch-watch-watch-watch");
        for (int i = 0; i < 100 && !all.contains("/bug"); i++) {
            Thread.sleep(20);
            all = metrics("watch-watch-watch-watch");
        }
        assertThat(all).contains(counted, "/bug", "jvm_memory_used_bytes");
        assertThat(metrics("other-other-other"))
                .startsWith("HTTP/1.1 200")
                .contains("/bug")
                .doesNotContain("/echo", "jvm_");
    }

    @Test
    void aBodyMayNotTakeFiveTimesTheIdleTimeout() throws Exception {
        String announced = RawHttp.post("/echo", " ".repeat(100_000));
        RawHttp slow = send("greedy-greedy-greedy", announced.substring(0, announced.length() - 100_000));
        Thread sending = new Thread(() -> slow.sendUntilRefused(" ".repeat(100), 1000, 20));
        sending.setDaemon(true);
        sending.start();
        assertThat(slow.rest()).startsWith("HTTP/1.1 408").contains("or takes longer than 5 s");
    }
}
