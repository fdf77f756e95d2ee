package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Clients that are many, slow, or see a handler fail. */
class SaturationTest {
    private static final int HANDLERS = HostileRoutes.SMALL.threads() - RequestGate.RESERVED;
    private static final String CLOSE = "Connection: close";
    private static final String SMALL_BODY = "{\"say\": \"a\"}";

    private final HostileRoutes routes = new HostileRoutes();
    private final List<RawHttp> open = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private ApiServer server;

    @BeforeEach
    void start() {
        server = routes.start(ApiKeys.NONE);
        root().addAppender(log);
        log.start();
    }

    @AfterEach
    void stop() throws Exception {
        routes.goOn.countDown();
        for (RawHttp connection : open) {
            connection.close();
        }
        server.close();
        root().detachAppender(log);
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private RawHttp open() {
        RawHttp connection = new RawHttp(server);
        open.add(connection);
        return connection;
    }

    private String post(String path, String body) throws Exception {
        return open().send(RawHttp.post(path, body, CLOSE)).rest();
    }

    private String get(String path) throws Exception {
        return open().send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + "\r\n\r\n")
                .rest();
    }

    @Test
    void healthIsToldAndTheRestRefusedWhileAllHandlersWait() throws Exception {
        List<RawHttp> waiting = new ArrayList<>();
        for (int i = 0; i < HANDLERS; i++) {
            waiting.add(open().send(RawHttp.post("/slow", "{}", CLOSE)));
        }
        routes.waiting.acquire(HANDLERS);
        assertThat(get("/health")).startsWith("HTTP/1.1 200").endsWith("{\"status\":\"ok\"}");
        assertThat(get("/ready")).startsWith("HTTP/1.1 200").endsWith("{\"status\":\"ready\"}");
        for (int i = 0; i < 3 * HANDLERS; i++) {
            assertThat(post("/echo", SMALL_BODY))
                    .startsWith("HTTP/1.1 503")
                    .containsIgnoringCase("retry-after: 2")
                    .contains("all handlers, or the share of one key, are busy");
        }
        assertThat(post("/echo", "{\"say\": \"" + "x".repeat(900_000) + "\"}"))
                .as("its body is not read, and its client is not reset")
                .startsWith("HTTP/1.1 503");
        routes.goOn.countDown();
        for (RawHttp each : waiting) {
            assertThat(each.rest()).startsWith("HTTP/1.1 200").endsWith("{\"done\":true}");
        }
        assertThat(post("/echo", SMALL_BODY)).startsWith("HTTP/1.1 200");
        assertThat(get("/metrics")).contains("prpf_http_refused_total " + (double) (3 * HANDLERS + 1));
    }

    @Test
    void connectionsThatSayNothingOrLittleTakeNoHandler() throws Exception {
        for (int i = 0; i < 20 * HANDLERS; i++) {
            open().send(i % 2 == 0 ? "" : "POST /echo HTTP/1.1\r\nHost: local");
        }
        assertThat(get("/health")).startsWith("HTTP/1.1 200");
        assertThat(post("/echo", SMALL_BODY)).startsWith("HTTP/1.1 200");
    }

    @Test
    void aBodyThatTricklesOrStallsIsRefusedAlsoAfterMuchWasRead() throws Exception {
        for (int i = 0; i < 3; i++) { // an average over all requests would hide the slow one
            assertThat(post("/echo", "{\"say\": \"" + "x".repeat(1_000_000) + "\"}"))
                    .startsWith("HTTP/1.1 200");
        }
        RawHttp stalled =
                open().send(RawHttp.post("/echo", "{" + " ".repeat(5000)).substring(0, 200));
        String announced = RawHttp.post("/echo", " ".repeat(5000));
        RawHttp slow = open().send(announced.substring(0, announced.length() - 5000));
        CompletableFuture<Integer> sent = CompletableFuture.supplyAsync(() -> slow.sendUntilRefused(" ", 5000, 20));
        assertThat(slow.rest()).startsWith("HTTP/1.1 408").contains("the body comes slower than 1000 bytes/s");
        assertThat(sent.get(30, TimeUnit.SECONDS)).isLessThan(5000);
        assertThat(stalled.rest()).startsWith("HTTP/1.1 408").contains("request_too_slow");
    }

    @Test
    void aReaderThatDoesNotReadHoldsNobodyElse() throws Exception {
        RawHttp lazy = open().send(RawHttp.post("/flood", "{}"));
        routes.waiting.acquire();
        assertThat(post("/echo", SMALL_BODY)).startsWith("HTTP/1.1 200");
        assertThat(routes.gone.await(30, TimeUnit.SECONDS))
                .as("it is cut off after the idle timeout")
                .isTrue();
        lazy.close();
        assertThat(post("/echo", SMALL_BODY)).startsWith("HTTP/1.1 200");
    }

    @Test
    void drainingLetsAStreamEnd() throws Exception {
        RawHttp stream = open().send(RawHttp.post("/stream", "{}", CLOSE));
        routes.waiting.acquire();
        CompletableFuture<Void> drained = CompletableFuture.runAsync(server::drain);
        while (!get("/ready").startsWith("HTTP/1.1 503")) {
            Thread.sleep(5);
        }
        assertThat(get("/ready")).endsWith("{\"status\":\"draining\"}");
        assertThat(post("/echo", SMALL_BODY)).startsWith("HTTP/1.1 503").contains("the server is shutting down");
        assertThat(get("/health")).startsWith("HTTP/1.1 200");
        assertThat(drained).isNotDone();
        routes.goOn.countDown();
        drained.get(30, TimeUnit.SECONDS);
        assertThat(stream.rest())
                .contains("data: {\"event\":1}\n\n")
                .contains("data: {\"event\":2}\n\n")
                .contains("data: [DONE]\n\n");
    }

    @Test
    void repliesThatWait_areBoundedAndDrained() throws Exception {
        List<RawHttp> late = new ArrayList<>();
        for (int i = 0; i < (RequestGate.WAITING_PER_HANDLER + 1) * HANDLERS; i++) {
            late.add(open().send(RawHttp.post("/late", "{}", CLOSE)));
            assertThat(routes.waiting.tryAcquire(30, TimeUnit.SECONDS))
                    .as("%s", i)
                    .isTrue();
        }
        assertThat(post("/echo", SMALL_BODY)).startsWith("HTTP/1.1 503").contains("all handlers");
        CompletableFuture<Void> drained = CompletableFuture.runAsync(server::drain);
        while (!get("/ready").startsWith("HTTP/1.1 503")) {
            Thread.sleep(5);
        }
        assertThat(drained).isNotDone();
        routes.due.complete(null);
        drained.get(30, TimeUnit.SECONDS);
        server.close();
        for (RawHttp each : late) {
            assertThat(each.rest()).startsWith("HTTP/1.1 200").endsWith("{\"done\":true}");
        }
    }

    @Test
    void anErrorReplacesWhatWasWrittenAndNotSent() throws Exception {
        String answer = open().send(RawHttp.post("/buffered", "{}", "Connection: close"))
                .rest();
        assertThat(answer)
                .startsWith("HTTP/1.1 503")
                .contains("\r\n\r\n{\"error\":{\"message\":\"the rest is not available\"")
                .doesNotContain("half");
    }

    @Test
    void aStreamThatBreaksIsSeenToBeBroken() throws Exception {
        String answer = open().send(RawHttp.post("/half", "{}")).rest();
        assertThat(RawHttp.status(answer)).isEqualTo(200);
        assertThat(answer)
                .contains("data: {\"event\":1}\n\n")
                .doesNotContain("\r\n0\r\n\r\n") // the last chunk
                .doesNotContain("error");
    }

    @Test
    void theLogHasPlacesButNothingOfARequest() throws Exception {
        Level before = root().getLevel();
        root().setLevel(Level.INFO);
        try {
            assertThat(post("/bug", "{}")).startsWith("HTTP/1.1 500").doesNotContain(HostileRoutes.SECRET);
            assertThat(post("/error", "{}")).startsWith("HTTP/1.1 500").doesNotContain(HostileRoutes.SECRET);
            assertThat(post("/memory", "{}"))
                    .startsWith("HTTP/1.1 503")
                    .contains("not enough memory")
                    .doesNotContain(HostileRoutes.SECRET);
            post("/half", "{}");
            post("/echo?" + HostileRoutes.SECRET, "{\"say\": \"" + HostileRoutes.SECRET);
            get("/" + HostileRoutes.SECRET);
            get("/" + HostileRoutes.SECRET + "%00");
            for (String host : List.of("a\r\nHost: " + HostileRoutes.SECRET, "a@" + HostileRoutes.SECRET)) {
                open().send("GET /version HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                        .rest();
            }
            open().send("POST /" + HostileRoutes.SECRET + " HTTP/1.1\r\n" + HostileRoutes.SECRET + "\r\n\r\n")
                    .rest();
        } finally {
            root().setLevel(before);
        }
        List<ILoggingEvent> events = List.copyOf(log.list);
        assertThat(events)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains("to /bug failed: java.lang.IllegalStateException\n\tat dev.prpf")
                        && line.contains("\nCaused by: java.lang.IllegalArgumentException"))
                .anyMatch(line ->
                        line.contains("to /error failed") && line.contains("\nCaused by: java.lang.StackOverflowError"))
                .noneMatch(line -> line.contains(HostileRoutes.SECRET));
        assertThat(events).allMatch(event -> event.getThrowableProxy() == null);
    }
}
