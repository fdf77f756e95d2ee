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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests that download from a {@link FakeHub}. */
abstract class HubDownloads {
    static final String MODEL = "model.safetensors";

    static final int SIZE = 300_000;

    @TempDir
    Path home;

    final List<Duration> waits = Collections.synchronizedList(new ArrayList<>());

    FakeHub hub;

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

    HubDownload download(String... variables) {
        return new HubDownload(
                hub.environment(home, variables),
                new Retrier(new Retrier.Policy(3, Duration.ofSeconds(1), Duration.ofMinutes(1)), waits::add));
    }

    static HubRequest request(String revision, @Nullable Path folder, String... include) {
        return new HubRequest(
                new Repository(Repository.Type.MODEL, "org/tiny"),
                revision,
                new FileFilter(List.of(include), List.of()),
                folder);
    }

    static Path get(HubDownload download, HubRequest request) {
        try (StopSignal stop = StopSignal.install()) {
            return download.fetch(download.plan(request), stop);
        }
    }

    Path get() {
        return get(download(), request("main", null));
    }

    Path storage() {
        return home.resolve("hub/models--org--tiny");
    }

    Path partial() {
        return storage().resolve("blobs/" + hub.etag(MODEL) + ".prpf.incomplete");
    }

    void assertFails(ExitCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(words);
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
