package dev.prpf.base.hub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.hub.HubDownload.HubPlan;
import dev.prpf.base.run.StopSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Faulty servers: lost connections, statuses, wrong content, silence. */
class HubFaultsTest extends HubDownloads {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void aCutConnectionGoesOnWhereItWas() {
        hub.fail(MODEL, FakeHub.cutAfter(100_000), FakeHub.status(503), FakeHub.cutAfter(150_000));

        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("store"))
                .extracting(request -> request.range() == null ? "" : request.range())
                .hasSize(4)
                .satisfies(ranges -> assertThat(ranges.get(0)).isEmpty())
                .satisfies(ranges -> assertThat(ranges.subList(1, 4)).allMatch(range -> range.matches("bytes=\\d+-")));
    }

    @Test
    void whatAKilledProcessLeftIsTakenUp() throws IOException {
        Files.createDirectories(partial().getParent());
        Files.write(partial(), Arrays.copyOf(hub.content(MODEL), 200_000));

        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("store"))
                .extracting(FakeHub.Request::range)
                .containsExactly("bytes=200000-");
    }

    @Test
    void aPartThatIsAlreadyWholeNeedsNoRequest() throws IOException {
        Files.createDirectories(partial().getParent());
        Files.write(partial(), hub.content(MODEL));

        get();
        assertThat(hub.fetched(MODEL)).isZero();
    }

    @Test
    void aDamagedPartIsFetchedAnew() throws IOException {
        byte[] damaged = Arrays.copyOf(hub.content(MODEL), 200_000);
        damaged[7]++;
        Files.createDirectories(partial().getParent());
        Files.write(partial(), damaged);

        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
        assertThat(hub.fetched(MODEL)).isEqualTo(2);
    }

    @Test
    void aServerThatKnowsNoRangesBeginsAgain() {
        hub.fail(MODEL, FakeHub.cutAfter(100_000), FakeHub.whole());

        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
        assertThat(hub.fetched(MODEL)).isEqualTo(2);
    }

    @Test
    void aMirrorThatCompressesUnasked_isUnpacked() {
        hub.fail(MODEL, FakeHub.cutAfter(100_000), FakeHub.gzipped(206), FakeHub.gzipped(200));
        hub.fail("config.json", FakeHub.gzipped(200));

        Path snapshot = get();
        assertThat(snapshot.resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
        assertThat(snapshot.resolve("config.json")).hasBinaryContent(hub.content("config.json"));
    }

    @Test
    void aServerThatAnswersAnotherRangeIsNotBelieved() {
        hub.fail(
                MODEL,
                FakeHub.cutAfter(100_000),
                (exchange, content) -> {
                    exchange.getResponseHeaders().set("Content-Range", "bytes 5-9/" + SIZE);
                    exchange.sendResponseHeaders(206, 5);
                    exchange.getResponseBody().write(content, 5, 5);
                },
                FakeHub.status(416));
        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
    }

    @Test
    void aBusyServerIsAskedAgainWhenItSays() {
        hub.fail("main", FakeHub.status(429, "Retry-After", "7"), FakeHub.status(500));
        hub.fail("config.json", FakeHub.status(503, "Retry-After", "3"));

        get();
        assertThat(waits).hasSize(3).contains(Duration.ofSeconds(7), Duration.ofSeconds(3));
    }

    @Test
    void aServerThatStaysAwayEndsTheDownloadAndWhatCameStays() {
        hub.fail(
                MODEL,
                FakeHub.cutAfter(100_000),
                FakeHub.status(503),
                FakeHub.status(503),
                FakeHub.status(503),
                FakeHub.status(503));
        assertFails(ExitCode.UNAVAILABLE, this::get, "503", "cannot be reached", "run the same command again");
        assertThat(partial()).isNotEmptyFile().satisfies(file -> assertThat(Files.size(file))
                .isGreaterThan(50_000));
        assertThat(storage().resolve("refs/main")).doesNotExist();
        assertThat(storage().resolve("snapshots/" + FakeHub.COMMIT + "/" + MODEL))
                .doesNotExist();

        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
    }

    @Test
    void aContentThatIsNotWhatWasListedIsNeverKept() {
        byte[] other = hub.content(MODEL);
        other[SIZE / 2]++;
        hub.fail(MODEL, FakeHub.instead(other));
        assertFails(ExitCode.BAD_DATA, this::get, MODEL, "SHA-256", "must be " + hub.etag(MODEL));

        assertThat(partial()).doesNotExist();
        assertThat(storage().resolve("blobs/" + hub.etag(MODEL))).doesNotExist();
    }

    @Test
    void gitsOwnChecksumIsVerifiedToo() {
        hub.fail("config.json", FakeHub.instead("{\"a\": 2}".getBytes(StandardCharsets.UTF_8)));
        assertFails(ExitCode.BAD_DATA, this::get, "config.json", "git SHA-1");
        assertThat(storage().resolve("blobs/" + hub.etag("config.json"))).doesNotExist();
    }

    @Test
    void aContentOfAnotherLengthIsRefused() {
        hub.fail(MODEL, FakeHub.instead(new byte[SIZE + 1]));
        assertFails(ExitCode.BAD_DATA, this::get, MODEL, "more than the 300000 bytes");

        FakeHub.Fault shorter = FakeHub.instead(Arrays.copyOf(hub.content(MODEL), 1000));
        FakeHub.Fault none = FakeHub.status(416);
        hub.fail(MODEL, shorter, none, shorter, none, shorter, none, shorter, none, shorter, none);
        assertFails(ExitCode.UNAVAILABLE, this::get, "cannot be reached");
    }

    @Test
    void aServerThatFallsSilentIsLeft() {
        hub.fail(MODEL, (exchange, content) -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content, 0, 1000);
            exchange.getResponseBody().flush();
            sleep(30_000);
        });
        long start = System.nanoTime();
        assertThat(get(download("HF_HUB_DOWNLOAD_TIMEOUT=1"), request("main", null))
                        .resolve(MODEL))
                .hasBinaryContent(hub.content(MODEL));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aSignalEndsAWaitForTheServer() {
        hub.fail(MODEL, FakeHub.status(503, "Retry-After", "60"));
        CountDownLatch waiting = new CountDownLatch(1);
        HubDownload download = new HubDownload(
                hub.environment(home), new Retrier(new Retrier.Policy(3, SECOND, Duration.ofMinutes(1)), wait -> {
                    waiting.countDown();
                    Thread.sleep(wait.toMillis());
                }));
        HubPlan plan = download.plan(request("main", null, MODEL));
        try (StopSignal stop = StopSignal.install()) {
            Thread signal = new Thread(() -> {
                await(waiting);
                stop.request();
            });
            signal.start();
            assertSoon(() -> assertFails(
                    ExitCode.CHECKPOINTED, () -> download.fetch(plan, stop), "run the same command again to resume"));
        }
    }

    @Test
    void theFirstFailureEndsTheOthersWhereverTheyStand() {
        CountDownLatch slowBegan = new CountDownLatch(1);
        hub.large("a.safetensors", SIZE + 1);
        hub.fail("a.safetensors", (exchange, content) -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content, 0, 1000);
            exchange.getResponseBody().flush();
            slowBegan.countDown();
            sleep(30_000);
        });
        hub.fail(MODEL, (exchange, content) -> {
            await(slowBegan);
            FakeHub.status(403).serve(exchange, content);
        });
        assertSoon(() -> assertFails(
                ExitCode.UNAVAILABLE,
                () -> get(download("HF_HUB_DOWNLOAD_TIMEOUT=60"), request("main", null)),
                "answered with status 403"));
    }

    private static void assertSoon(Runnable check) {
        long start = System.nanoTime();
        check.run();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
