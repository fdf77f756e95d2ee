package dev.prpf.base.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetrierTest {
    private static final Retrier.Policy POLICY = new Retrier.Policy(3, Duration.ofSeconds(1), Duration.ofSeconds(3));

    private final List<Duration> waits = new ArrayList<>();
    private final Retrier retrier = new Retrier(POLICY, waits::add);
    private int runs;
    private long reached;

    private Retrier.Attempt<Integer> failing(int times, @Nullable Duration retryAfter) {
        return () -> {
            if (runs++ < times) {
                throw new BusyException("busy", 503, retryAfter);
            }
            return runs;
        };
    }

    @Test
    void whatComesThroughAtOnceDoesNotWait() throws Exception {
        assertThat(retrier.run(failing(0, null))).isEqualTo(1);
        assertThat(waits).isEmpty();
    }

    @Test
    void waitsDoubleUpToTheLongestLessARandomHalf() throws Exception {
        assertThat(retrier.run(failing(3, null))).isEqualTo(4);
        assertThat(waits).hasSize(3);
        assertThat(waits.get(0)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        assertThat(waits.get(1)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(waits.get(2)).isBetween(Duration.ofMillis(1500), Duration.ofSeconds(3));
    }

    @Test
    void afterTheLastAttemptTheFailureIsTold() {
        assertThatThrownBy(() -> retrier.run(failing(4, null))).isInstanceOf(BusyException.class);
        assertThat(runs).isEqualTo(4);
    }

    @Test
    void theServersWordIsObeyedUpToTheLongest() throws Exception {
        retrier.run(failing(1, Duration.ofMillis(2500)));
        assertThat(waits).containsExactly(Duration.ofMillis(2500));
        assertThatThrownBy(() -> new Retrier(POLICY, waits::add).run(failing(9, Duration.ofMinutes(9))))
                .hasMessage("busy");
        assertThat(waits).hasSize(1);
    }

    @Test
    void aConnectionThatTheServerClosesIsSaidInPlainWords() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (String answer : List.of("", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")) {
                CompletableFuture<IOException> failure = CompletableFuture.supplyAsync(() -> {
                    try {
                        HttpClient.newHttpClient()
                                .send(
                                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort()))
                                                .version(HttpClient.Version.HTTP_1_1)
                                                .POST(BodyPublishers.noBody()) // which the JDK does not repeat
                                                .build(),
                                        BodyHandlers.ofString());
                        throw new IllegalStateException("answered");
                    } catch (IOException e) {
                        return e;
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                try (Socket client = server.accept()) {
                    client.getInputStream().readNBytes(20);
                    client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                }
                assertThat(Retrier.reason(failure.get(30, TimeUnit.SECONDS)))
                        .isEqualTo("the connection was closed before the end of the answer");
            }
        }
    }

    @Test
    void progressBeginsTheCountAnew() throws Exception {
        Retrier.Attempt<Integer> slow = () -> {
            runs++;
            reached += runs % 3 == 0 ? 1 : 0;
            if (runs < 12) {
                throw new IOException("cut");
            }
            return runs;
        };
        assertThat(retrier.run(slow, () -> reached)).isEqualTo(12);
    }

    @Test
    void whatIsNoFailureOfTheNetworkIsFinal() {
        assertThatThrownBy(() -> retrier.run(() -> {
                    runs++;
                    throw new IllegalArgumentException("final");
                }))
                .hasMessage("final");
        assertThat(runs).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"408, true", "429, true", "500, true", "503, true", "400, false", "404, false", "200, false"})
    void someStatusesSayLater(int status, boolean busy) {
        assertThat(BusyException.isBusy(status)).isEqualTo(busy);
    }

    @Test
    void retryAfterIsSecondsOrADate() {
        Instant now = Instant.parse("2026-01-02T03:04:05Z");
        assertThat(BusyException.wait("120", now)).isEqualTo(Duration.ofMinutes(2));
        assertThat(BusyException.wait(" 0.5 ", now)).isEqualTo(Duration.ofMillis(500));
        assertThat(BusyException.wait("Fri, 02 Jan 2026 03:05:05 GMT", now)).isEqualTo(Duration.ofMinutes(1));
        assertThat(BusyException.wait("Fri, 02 Jan 2026 03:00:00 GMT", now)).isZero();
        assertThat(BusyException.wait("-1", now)).isNull();
        assertThat(BusyException.wait("soon", now)).isNull();
        assertThat(BusyException.wait("NaN", now)).isNull();
    }

    @Test
    void aPolicyThatCannotBeIsRefused() {
        assertThatThrownBy(() -> new Retrier.Policy(-1, Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("retries = -1");
        assertThatThrownBy(() -> new Retrier.Policy(1, Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("longest wait = PT1S must be at least the first, PT2S");
    }
}
