package dev.prpf.base.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.hub.HubRequest.FileFilter;
import dev.prpf.base.hub.HubRequest.Repository;
import dev.prpf.base.run.StopSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HubDownloadTest {
    private static final String MODEL = "model.safetensors";
    private static final int SIZE = 300_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    private Path home;

    private final List<Duration> waits = Collections.synchronizedList(new ArrayList<>());
    private FakeHub hub;

    @BeforeEach
    void start() throws IOException {
        hub = new FakeHub()
                .small("config.json", "{\"a\": 1}")
                .small("folder/空 白.txt", "text")
                .large(MODEL, SIZE);
    }

    @AfterEach
    void stop() {
        hub.close();
    }

    private HubDownload download(String... variables) {
        return new HubDownload(
                hub.environment(home, variables),
                new Retrier(new Retrier.Policy(3, Duration.ofSeconds(1), Duration.ofMinutes(1)), waits::add));
    }

    private static HubRequest request(String revision, @Nullable Path folder, String... include) {
        return new HubRequest(
                new Repository(Repository.Type.MODEL, "org/tiny"),
                revision,
                new FileFilter(List.of(include), List.of()),
                folder);
    }

    private static Path get(HubDownload download, HubRequest request) {
        try (StopSignal stop = StopSignal.install()) {
            return download.fetch(download.plan(request), stop);
        }
    }

    private Path get() {
        return get(download(), request("main", null));
    }

    private Path storage() {
        return home.resolve("hub/models--org--tiny");
    }

    private Path partial() {
        return storage().resolve("blobs/" + hub.etag(MODEL) + ".prpf.incomplete");
    }

    private void assertFails(
            ExitCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(words);
    }

    @Test
    void theCacheHasTheLayoutThatEverybodyReads() throws IOException {
        Path root = get();

        assertThat(root).isEqualTo(storage().resolve("snapshots/" + FakeHub.COMMIT));
        assertThat(root.resolve(MODEL)).hasBinaryContent(hub.content(MODEL)).isSymbolicLink();
        assertThat(Files.readSymbolicLink(root.resolve(MODEL))).isEqualTo(Path.of("../../blobs/" + hub.etag(MODEL)));
        assertThat(Files.readSymbolicLink(root.resolve("folder/空 白.txt")))
                .isEqualTo(Path.of("../../../blobs/" + hub.etag("folder/空 白.txt")));
        assertThat(root.resolve("folder/空 白.txt")).hasContent("text");
        assertThat(storage().resolve("refs/main")).hasContent(FakeHub.COMMIT);
        assertThat(home.resolve("hub/CACHEDIR.TAG"))
                .content()
                .startsWith("Signature: 8a477f597d28d172789f06886806bc55");
        assertThat(home.resolve("hub/.locks/models--org--tiny/" + hub.etag(MODEL) + ".lock"))
                .exists();
        assertThat(partial()).doesNotExist();
    }

    @Test
    void theTokenGoesToTheHubAndNeverToTheStoreItSendsUsTo() {
        get(download("HF_TOKEN=hf_secret"), request("main", null));

        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("hub"))
                .hasSizeGreaterThan(4)
                .allSatisfy(request -> assertThat(request.authorization()).isEqualTo("Bearer hf_secret"));
        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("store"))
                .hasSize(1)
                .allSatisfy(request -> assertThat(request.authorization()).isNull());
    }

    @Test
    void existingFiles_areNotFetchedAgain() {
        get();
        Path again = get(download(), request(FakeHub.COMMIT, null));
        assertThat(get()).isEqualTo(again);
        assertThat(hub.fetched(MODEL)).isEqualTo(1);
    }

    @Test
    void offlineTheCacheAnswersOrSaysWhatItLacks() {
        get(download(), request("main", null, "*.json"));
        int asked = hub.requests.size();
        HubDownload offline = download("HF_HUB_OFFLINE=1");

        assertThat(get(offline, request("main", null, "*.json")).resolve("config.json"))
                .exists();
        assertThat(offline.plan(request(FakeHub.COMMIT, null)).files())
                .extracting(HubPlan.Entry::path)
                .containsExactly("config.json");
        assertFails(ExitCode.UNAVAILABLE, () -> offline.plan(request("main", null, MODEL)), "HF_HUB_OFFLINE", "not in");
        assertFails(
                ExitCode.UNAVAILABLE, () -> offline.plan(request("main", home.resolve("plain"))), "only the hub knows");
        assertFails(ExitCode.UNAVAILABLE, () -> offline.plan(request("v2", null)), "revision v2", "not in the cache");
        assertThat(hub.requests).hasSize(asked);
    }

    @Test
    void offlineACacheOfAnotherProgramIsTakenAsItIs() throws IOException {
        Path snapshot = storage().resolve("snapshots/" + FakeHub.COMMIT);
        Files.createDirectories(snapshot);
        Files.writeString(snapshot.resolve("config.json"), "{}");
        Files.createDirectories(storage().resolve("refs"));
        Files.writeString(storage().resolve("refs/main"), FakeHub.COMMIT);

        HubPlan plan = download("HF_HUB_OFFLINE=yes").plan(request("main", null));
        assertThat(plan.isListed()).isFalse();
        assertThat(plan.files()).containsExactly(new HubPlan.Entry("config.json", 2, true));
        assertThat(plan.root()).isEqualTo(snapshot);
    }

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

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "401, GatedRepo, 'is gated', 'accept its terms'",
        "403, GatedRepo, 'HF_TOKEN', 'none was sent'",
        "404, RepoNotFound, 'there is no model org/tiny', '--repo-type'",
        "401, '', 'or it is private', 'HF_TOKEN'",
        "404, RevisionNotFound, 'has no revision main', '--revision'",
        "403, '', 'status 403', 'check HF_TOKEN'",
        "400, '', 'status 400', 'main'"
    })
    void aRefusalNamesTheWayOut(int status, String code, String what, String way) {
        hub.fail("main", code.isEmpty() ? FakeHub.status(status) : FakeHub.status(status, "X-Error-Code", code));
        assertFails(ExitCode.UNAVAILABLE, this::get, what, way);
        assertThat(waits).isEmpty();
    }

    @Test
    void aHubThatIsNotThereIsSaid() {
        hub.close();
        assertFails(ExitCode.UNAVAILABLE, this::get, hub.endpoint() + " cannot be reached", "HF_HUB_OFFLINE=1");
        assertThat(waits).hasSize(3);
    }

    @Test
    void aPageThatIsNoHubIsSaid() {
        hub.fail("main", FakeHub.instead("<html>login</html>".getBytes(StandardCharsets.UTF_8)));
        assertFails(ExitCode.BAD_DATA, this::get, "did not answer with JSON", "is it a Hugging Face hub?");
        hub.fail("main", FakeHub.instead("{\"sha\": \"../..\"}".getBytes(StandardCharsets.UTF_8)));
        assertFails(ExitCode.BAD_DATA, this::get, "without a commit");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../evil",
                "/etc/evil",
                "a/../../evil",
                "a//evil",
                "C:evil",
                "a\\\\..\\\\evil",
                "./evil",
                "",
                ".git/hooks/post-checkout",
                "a/.GIT/config",
                ".git"
            })
    void aNameThatLeadsOutOfItsFolderIsRefused(String name) {
        hub.listed(name, "{\"type\":\"file\",\"path\":\"" + name + "\",\"size\":1,\"oid\":\"" + FakeHub.COMMIT + "\"}");
        assertFails(ExitCode.BAD_DATA, this::get, "leads out of its folder");
        assertThat(home.resolve("hub")).doesNotExist();
    }

    @Test
    void aNameThatStandsTwiceIsRefused() {
        hub.listed(
                "twice", "{\"type\":\"file\",\"path\":\"config.json\",\"size\":1,\"oid\":\"" + FakeHub.COMMIT + "\"}");
        assertFails(ExitCode.BAD_DATA, this::get, "\"config.json\" is a duplicate");
    }

    @Test
    void anEtagThatIsNoChecksumIsRefused() {
        hub.listed("x", "{\"type\":\"file\",\"path\":\"x\",\"size\":1,\"oid\":\"../../../x\"}");
        assertFails(ExitCode.BAD_DATA, this::get, "40 hexadecimal digits");
    }

    @Test
    void aRedirectAwayFromHttpIsRefused() {
        hub.fail("config.json", FakeHub.status(302, "Location", "file:///etc/passwd"));
        assertFails(ExitCode.UNAVAILABLE, this::get, "file:///etc/passwd");
    }

    @Test
    void filesOfOneContentAreFetchedOnce() {
        hub.small("a/copy.json", "{\"a\": 1}");
        Path root = get();
        assertThat(root.resolve("a/copy.json")).hasContent("{\"a\": 1}").isSymbolicLink();
        assertThat(hub.fetched("config.json") + hub.fetched("a/copy.json")).isEqualTo(1);
    }

    @Test
    void withoutLinksTheSnapshotHoldsTheContents() {
        hub.small("a/copy.json", "{\"a\": 1}");
        Path root = get(download("HF_HUB_DISABLE_SYMLINKS=1"), request("main", null));
        for (String name : List.of("config.json", "a/copy.json", MODEL)) {
            assertThat(root.resolve(name)).hasBinaryContent(hub.content(name));
            assertThat(Files.isSymbolicLink(root.resolve(name))).isFalse();
        }
        get(download("HF_HUB_DISABLE_SYMLINKS=1"), request("main", null));
        assertThat(hub.fetched(MODEL)).isEqualTo(1);
    }

    @Test
    void aFolderHoldsPlainFilesAndKnowsThem() throws IOException {
        Path folder = home.resolve("plain");
        assertThat(get(download(), request("refs/pr/1", folder))).isEqualTo(folder);
        assertThat(folder.resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
        assertThat(Files.isSymbolicLink(folder.resolve(MODEL))).isFalse();

        get(download(), request("main", folder));
        assertThat(hub.fetched(MODEL)).isEqualTo(1);
    }

    @Test
    void aLinkInTheFolderIsNotFollowed() throws IOException {
        Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
        Path folder = Files.createDirectory(home.resolve("plain"));
        Files.createSymbolicLink(folder.resolve("folder"), elsewhere);
        assertFails(
                ExitCode.BAD_DATA,
                () -> get(download(), request("main", folder)),
                folder.resolve("folder") + " is a link",
                "another --out");
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void aDifferentFileInTheFolder_isNotReplaced() throws IOException {
        Path folder = Files.createDirectory(home.resolve("plain"));
        Files.writeString(folder.resolve("config.json"), "mine");
        assertFails(
                ExitCode.USAGE,
                () -> download().plan(request("main", folder)),
                "config.json: exists and differs",
                "another --out");
        assertThat(folder.resolve("config.json")).hasContent("mine");

        Files.writeString(folder.resolve("config.json"), "{\"a\": 1}");
        get(download(), request("main", folder));
        assertThat(hub.fetched("config.json")).isZero();
    }

    @Test
    void theFolderOfUnfinishedDownloadsCannotBeOverwritten() {
        hub.small(".cache/huggingface/download/x.metadata", "evil");
        assertFails(
                ExitCode.BAD_DATA, () -> download().plan(request("main", home.resolve("plain"))), ".cache/huggingface");
    }

    @Test
    void aSignalEndsTheDownloadAndKeepsWhatCame() {
        hub.fail(MODEL, FakeHub.cutAfter(100_000), FakeHub.status(503));
        HubDownload download = download();
        HubPlan plan = download.plan(request("main", null, MODEL));
        try (StopSignal stop = StopSignal.install()) {
            stop.request();
            assertFails(ExitCode.CHECKPOINTED, () -> download.fetch(plan, stop), "run the same command again");
        }
        assertThat(get().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
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

    @Test
    void aSignedAddressStandsInNoMessage() {
        hub.fail(MODEL, FakeHub.status(403, "X-Error-Message", "expired"));
        assertFails(ExitCode.UNAVAILABLE, this::get, "/lfs/" + MODEL + " answered with status 403: expired");
        hub.fail(MODEL, FakeHub.status(403));
        assertThatThrownBy(this::get).message().doesNotContain("signature");
    }

    private static FakeHub.Fault page(String following) {
        return (exchange, content) -> {
            exchange.getResponseHeaders().set("Link", "<" + following + ">; rel=\"next\"");
            FakeHub.instead("[]".getBytes(StandardCharsets.UTF_8)).serve(exchange, content);
        };
    }

    @Test
    void aListingWithoutAnEndIsLeft() {
        AtomicInteger page = new AtomicInteger();
        FakeHub.Fault another = (exchange, content) -> page("/api/models/org/tiny/tree/" + FakeHub.COMMIT + "?cursor="
                        + page.incrementAndGet())
                .serve(exchange, content);
        hub.fail("tree", Collections.nCopies(HubClient.MAX_PAGES + 10, another).toArray(FakeHub.Fault[]::new));
        assertFails(ExitCode.BAD_DATA, this::get, "its list of files has more than 2000 pages", "still does not end");
        assertThat(page).hasValue(HubClient.MAX_PAGES + 1);
    }

    @Test
    void aListingThatFollowsItselfOrPointsNowhereEnds() {
        String again = "/api/models/org/tiny/tree/" + FakeHub.COMMIT + "?cursor=1";
        hub.fail("tree", page(again), page(again), page(again));
        assertFails(ExitCode.BAD_DATA, this::get, "cursor=1: follows itself");

        for (String nowhere : List.of("http://[", "ftp://other/x", "mailto:x")) {
            hub.fail("tree", page(nowhere));
            assertFails(ExitCode.UNAVAILABLE, this::get, "sends on to \"" + nowhere, "must be an http address");
        }
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

    @Test
    void aPlanWritesNothing() throws IOException {
        HubPlan plan = download().plan(request("main", null));
        assertThat(plan.bytes()).isEqualTo(SIZE + 8 + 4).isEqualTo(plan.missingBytes());
        assertThat(plan.files())
                .extracting(HubPlan.Entry::path)
                .containsExactly("config.json", "folder/空 白.txt", MODEL);
        try (Stream<Path> files = Files.list(home)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aFilterThatLeavesNothingIsWrongUsage() {
        assertFails(
                ExitCode.USAGE,
                () -> download().plan(request("main", null, "*.gguf")),
                "none of the 3 files",
                "config.json");
    }

    @Test
    void downloadsThatNoteTheSameCommitAtOnceAllSucceed() throws Exception {
        ExecutorService downloads = Executors.newFixedThreadPool(4);
        List<Future<?>> done = new ArrayList<>();
        for (int one = 0; one < 4; one++) {
            done.add(downloads.submit(() -> {
                for (int i = 0; i < 25; i++) {
                    Path root = get();
                    Files.deleteIfExists(root.resolve("config.json")); // so that the others have a name to give again
                }
                return null;
            }));
        }
        for (Future<?> one : done) {
            one.get();
        }
        downloads.shutdown();
        assertThat(get().resolve("config.json")).hasContent("{\"a\": 1}");
        assertThat(storage().resolve("refs")).isDirectoryNotContaining("glob:**.partial");
    }

    @Test
    void twoDownloadsAtOnceFetchOnce() throws Exception {
        hub.fail(MODEL, (exchange, content) -> {
            sleep(500);
            FakeHub.whole().serve(exchange, content);
        });
        HubDownload one = download();
        HubDownload two = download();
        HubPlan plan = one.plan(request("main", null));
        try (StopSignal stop = StopSignal.install()) {
            Thread other = new Thread(() -> two.fetch(plan, stop));
            other.start();
            one.fetch(plan, stop);
            other.join();
        }
        assertThat(hub.fetched(MODEL)).isEqualTo(1);
        assertThat(plan.root().resolve(MODEL)).hasBinaryContent(hub.content(MODEL));
    }
}
