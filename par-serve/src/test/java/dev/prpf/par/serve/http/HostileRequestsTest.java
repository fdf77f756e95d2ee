package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Input of a connection that is not one request. */
class HostileRequestsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HOST = "Host: localhost\r\n";
    private static final String ECHO = "POST /echo HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\n";
    private static final String SECOND = RawHttp.post("/echo", "{\"say\": \"second\"}", "Connection: close");

    @TempDir
    private Path folder;

    private ApiServer server;

    @BeforeEach
    void start() {
        server = new HostileRoutes().start(ApiKeys.NONE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String ask(String bytes) throws IOException {
        try (RawHttp raw = new RawHttp(server)) {
            return raw.send(bytes).rest();
        }
    }

    private static JsonNode error(String answer) throws IOException {
        JsonNode error = JSON.readTree(RawHttp.body(answer)).path("error");
        assertThat(error.path("message").isTextual()).as(answer).isTrue();
        assertThat(error.path("type").isTextual()).as(answer).isTrue();
        assertThat(answer).contains("application/json").doesNotContain("Jetty").doesNotContain("<html");
        return error;
    }

    @Test
    void bareLineFeedsAndDotSegmentsAreRefused() throws IOException {
        String lines = ask("GET /health HTTP/1.1\nHost: localhost\n\n");
        assertThat(lines).startsWith("HTTP/1.1 400");
        error(lines);
        for (String path : List.of("/x/../version", "/./version", "/version/..")) {
            String answer = ask("GET " + path + " HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n");
            assertThat(answer).as(path).startsWith("HTTP/1.1 400");
            assertThat(error(answer).path("message").textValue()).contains("segment \".\" or \"..\"");
        }
        for (String type :
                List.of("application/jsonp", "application/json-patch+json", "application/json, text/plain")) {
            assertThat(ask(ECHO.replace("application/json", type) + "Connection: close\r\nContent-Length: 2\r\n\r\n{}"))
                    .as(type)
                    .startsWith("HTTP/1.1 415");
        }
        alive();
    }

    private void alive() throws IOException {
        String answer = ask(RawHttp.post("/echo", "{\"say\": \"still here\"}", "Connection: close"));
        assertThat(answer).startsWith("HTTP/1.1 200").contains("still here");
    }

    @Test
    void whatIsNoRequestIsRefusedInJsonAndEndsTheConnection() throws IOException {
        Map<String, Integer> wrong = new LinkedHashMap<>();
        wrong.put("GARBAGE\r\n\r\n", 400);
        wrong.put("\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n", 400); // TLS's first bytes
        wrong.put("GET /version HTTP/1.1\r\n\r\n", 400); // no Host
        wrong.put("GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400);
        wrong.put("GET /version HTTP/1.1\r\nHost: a@b\r\n\r\n", 400);
        wrong.put("GET /version HTTP/9.9\r\n" + HOST + "\r\n", 505);
        wrong.put("GET /version HTTP/1.1\r\n" + HOST + "X : 1\r\n\r\n", 400);
        wrong.put("GET /version HTTP/1.1\r\n" + HOST + "X: 1\r\n folded\r\n\r\n", 400);
        wrong.put("GET /version HTTP/1.1\r\n" + HOST + "X: \u0000\r\n\r\n", 400);
        wrong.put("GET /version HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(5000) + "\r\n\r\n", 431);
        wrong.put("GET /version HTTP/1.1\r\n" + HOST + "X: 1\r\n".repeat(2000) + "\r\n", 431);
        wrong.put("GET /" + "v".repeat(5000) + " HTTP/1.1\r\n" + HOST + "\r\n", 414);
        wrong.put("GET /version HTTP/1.1\r\n" + HOST + "Expect: a miracle\r\n\r\n", 417);
        for (Map.Entry<String, Integer> request : wrong.entrySet()) {
            String answer = ask(request.getKey());
            assertThat(RawHttp.status(answer)).as(request.getKey()).isEqualTo(request.getValue());
            error(answer);
        }
        alive();
    }

    /** RFC 9112 section 6: if readers may disagree about the body's end, nothing after it may become a request. */
    @Test
    void noSecondRequestIsSmuggled() throws IOException {
        List<String> lengths = List.of(
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
                "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
                "Content-Length: +2\r\n\r\n{}",
                "Content-Length: -2\r\n\r\n{}",
                "Content-Length: 0x2\r\n\r\n{}",
                "Content-Length: 99999999999999999999\r\n\r\n{}",
                "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                "Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n0\r\n\r\n");
        for (String length : lengths) {
            String answer = ask(ECHO + length + SECOND);
            assertThat(RawHttp.answers(answer)).as(length + "\n" + answer).isEqualTo(1);
            assertThat(RawHttp.status(answer)).as(length).isBetween(400, 501);
            assertThat(answer).doesNotContain("second");
            error(answer);
        }
        alive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%2e%2e/metrics",
                "/health/../metrics",
                "/health/%2e%2e/metrics",
                "/health%2f..%2fmetrics",
                "/health;/../metrics",
                "//metrics",
                "//health",
                "/health//",
                "/./metrics",
                "/health%00",
                "/metrics%00",
                "/%6detrics",
                "/METRICS",
                "/metrics/",
                "/health?/../metrics",
                "/metrics#health",
                "http://localhost/metrics",
                "*"
            })
    void noPathLeadsAroundTheKey(String path) throws IOException {
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "phone a-key-of-more-than-16\n");
        try (ApiServer guarded = new HostileRoutes().start(ApiKeys.read(keys));
                RawHttp raw = new RawHttp(guarded)) {
            String answer = raw.send("GET " + path + " HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n")
                    .rest();
            assertThat(answer).doesNotContain("prpf_http_request");
            if (RawHttp.status(answer) == 200) {
                assertThat(RawHttp.body(answer)).isEqualTo("{\"status\":\"ok\"}");
                assertThat(path).startsWith("/health?");
            } else {
                assertThat(RawHttp.status(answer)).isIn(400, 401, 404);
                error(answer);
            }
        }
    }

    /** RFC 9112 section 3.2.2: servers accept the absolute form. Where its authority and the Host header differ, it is refused. */
    @ParameterizedTest
    @CsvSource({
        "http://localhost/metrics, localhost, 200",
        "HTTP://LOCALHOST/metrics, localhost, 200",
        "http://localhost:80/metrics, localhost:80, 200",
        "http://127.0.0.1:8080/metrics?a=b, 127.0.0.1:8080, 200",
        "http://localhost, localhost, 404",
        "http://evil.example/metrics, evil.example, 403",
        "http://evil.example/metrics, localhost, 400",
        "http://localhost/metrics, evil.example, 400",
        "http://localhost@evil.example/metrics, localhost, 400",
        "http:///metrics, localhost, 400",
        "http://localhost/../metrics, localhost, 400"
    })
    void theAbsoluteFormIsServedUnderItsOwnAuthority(String target, String host, int status) throws IOException {
        String answer = ask("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
        assertThat(RawHttp.status(answer)).as(answer).isEqualTo(status);
        if (status == 200) {
            assertThat(answer).contains("jvm_memory_used_bytes");
        } else {
            error(answer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "OPTIONS", "CONNECT", "PUT", "DELETE", "PATCH", "BREW", "get", "PRI"})
    void otherMethodsAreRefusedInJson(String method) throws IOException {
        String answer = ask(method + " /echo HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n");
        assertThat(RawHttp.status(answer)).isIn(400, 404, 405, 501);
        error(answer);
        alive();
    }

    @Test
    void methodOverride_isIgnored() throws IOException {
        String override = "X-HTTP-Method-Override: GET\r\nConnection: close\r\n";
        assertThat(ask("GET /echo HTTP/1.1\r\n" + HOST + override.replace("GET", "POST") + "\r\n"))
                .startsWith("HTTP/1.1 405");
        assertThat(ask(RawHttp.post("/echo", "{\"say\": \"own method\"}", override.strip())))
                .startsWith("HTTP/1.1 200")
                .contains("own method");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://localhost\r\nOrigin: http://evil.example",
                "Authorization: Bearer a\r\nAuthorization: Bearer b",
                "Content-Type: text/plain"
            })
    void copiesOfAHeader_areRefused(String headers) throws IOException {
        String answer = ask(RawHttp.post("/echo", "{\"say\": \"a\"}", headers, "Connection: close"));
        assertThat(answer).startsWith("HTTP/1.1 400");
        assertThat(error(answer).path("message").textValue()).matches("the request has several headers .*; send one");
        alive();
    }

    @Test
    void bodiesInOtherEncodings_areRefused() throws IOException {
        String body = "{\"say\": \"plain\"}";
        for (String coding : List.of("Content-Encoding: gzip", "Content-Encoding: br, gzip")) {
            assertThat(ask(RawHttp.post("/echo", body, coding, "Connection: close")))
                    .startsWith("HTTP/1.1 415")
                    .contains("the body has " + coding.replace(": ", " = ") + ", must be identity");
        }
        String chunks = "Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
        assertThat(ask(ECHO + chunks)).startsWith("HTTP/1.1 415").contains("Transfer-Encoding = gzip, chunked");
        for (String charset : List.of("utf-16", "iso-8859-1", "no-such")) {
            String typed = RawHttp.post("/echo", body, "Connection: close")
                    .replace("application/json", "application/json; charset=" + charset);
            assertThat(ask(typed))
                    .startsWith("HTTP/1.1 415")
                    .containsIgnoringCase("charset = " + charset + ", must be utf-8");
        }
        for (String charset : List.of("utf-8", "UTF-8", "\"utf-8\"")) {
            String typed = RawHttp.post("/echo", body, "Connection: close", "Content-Encoding: identity")
                    .replace("application/json", "application/json; charset=" + charset);
            assertThat(ask(typed)).startsWith("HTTP/1.1 200").contains("plain");
        }
    }

    @Test
    void requestsThatMayBeTriedAgain_areRefusedAfterADelay() throws IOException {
        long begin = System.nanoTime();
        String answer = ask(RawHttp.post("/full", "{}", "Connection: close"));
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(250_000_000L);
        assertThat(answer).startsWith("HTTP/1.1 429").contains("Retry-After: 2");
        assertThat(error(answer).path("message").textValue()).isEqualTo("the queue is full");
    }

    @Test
    void anOldClientIsServed() throws IOException {
        String body = "{\"say\": \"hello\"}";
        String answer = ask("POST /echo HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body);
        assertThat(answer).contains(" 200 ").contains("hello");
    }

    @Test
    void aClientThatAsksFirstIsToldToGoOnOrNot() throws IOException {
        String body = "{\"say\": \"hello\"}";
        String asks = "Expect: 100-continue\r\nConnection: close\r\nContent-Length: ";
        try (RawHttp raw = new RawHttp(server)) {
            raw.send(ECHO + asks + body.length() + "\r\n\r\n");
            assertThat(raw.until("\r\n\r\n")).startsWith("HTTP/1.1 100");
            assertThat(raw.send(body).rest()).startsWith("HTTP/1.1 200").contains("hello");
        }
        String refused = ask(ECHO + asks + (1 << 30) + "\r\n\r\n");
        assertThat(refused).startsWith("HTTP/1.1 413");
        assertThat(error(refused).path("code").textValue()).isEqualTo("request_too_large");
    }

    @Test
    void aBodyOfGigabytesIsNotRead() throws IOException {
        String declared = ask(ECHO + "Content-Length: " + (1L << 30) + "\r\n\r\n{\"say\": \"");
        assertThat(declared).startsWith("HTTP/1.1 413");
        error(declared);
        try (RawHttp raw = new RawHttp(server)) {
            raw.send(ECHO + "Transfer-Encoding: chunked\r\n\r\n");
            String chunk = "10000\r\n" + "x".repeat(1 << 16) + "\r\n";
            int most = 1 << 14; // a gigabyte
            assertThat(raw.sendUntilRefused(chunk, most, 0)).isLessThan(most);
        }
        alive();
    }

    @Test
    void whoIsStillSendingIsAnsweredAndNotReset() throws Exception {
        try (RawHttp raw = new RawHttp(server)) {
            raw.send(ECHO + "Content-Length: " + (1L << 30) + "\r\n\r\n");
            for (int i = 0; i < 4; i++) {
                raw.send("x".repeat(1 << 16));
            }
            assertThat(raw.rest()).startsWith("HTTP/1.1 413").containsIgnoringCase("connection: close");
            for (int i = 0; i < 4; i++) {
                raw.send("x".repeat(1 << 16)); // fails on a connection that was reset
                Thread.sleep(20);
            }
        }
        alive();
    }

    @Test
    void whoIsAnsweredAndThenSaysLittleOrNothingIsClosed() throws Exception {
        try (RawHttp raw = new RawHttp(server)) {
            raw.send(ECHO + "Content-Length: " + (1L << 30) + "\r\n\r\n");
            assertThat(raw.rest()).startsWith("HTTP/1.1 413");
            assertThat(raw.sendUntilRefused("x", 600, 100)).isLessThan(600);
        }
    }

    @Test
    void whatIsCutOffIsNoRequest() throws IOException {
        String whole = RawHttp.post("/echo", "{\"say\": \"cut\"}");
        for (int end = 0; end < whole.length(); end += 7) {
            try (RawHttp raw = new RawHttp(server)) {
                raw.send(whole.substring(0, end));
            }
        }
        alive();
        assertThat(ask("GET /metrics HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n"))
                .doesNotContain("status=\"500\"");
    }

    @Test
    void requestsInOneWriteAreAnsweredInOrder() throws IOException {
        String answer = ask(RawHttp.post("/echo", "{\"say\": \"first\"}") + SECOND);
        assertThat(RawHttp.answers(answer)).isEqualTo(2);
        assertThat(answer.indexOf("first")).isPositive().isLessThan(answer.indexOf("second"));
    }

    @Test
    void pipelinedRequestDuringAPoll_endsTheConnection() throws Exception {
        HostileRoutes routes = new HostileRoutes();
        try (ApiServer watching = routes.start(ApiKeys.NONE);
                RawHttp raw = new RawHttp(watching)) {
            raw.send(RawHttp.post("/poll", "{}"));
            routes.waiting.acquire();
            raw.send(SECOND);
            int before = routes.polls.get();
            while (routes.polls.get() < before + 3) { // polled since
                Thread.sleep(1);
            }
            routes.goOn.countDown();
            String answer = raw.rest();
            assertThat(RawHttp.answers(answer)).isEqualTo(1);
            assertThat(answer)
                    .contains("polled")
                    .containsIgnoringCase("connection: close")
                    .doesNotContain("second");
        }
    }
}
