package dev.prpf.base.hub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.hub.HubDownload.HubPlan;
import dev.prpf.base.run.StopSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HubDownloadTest extends HubDownloads {
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
