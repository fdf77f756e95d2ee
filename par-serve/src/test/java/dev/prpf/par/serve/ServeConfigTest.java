package dev.prpf.par.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.HttpSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ServeConfigTest {
    private static HttpSettings threads(int threads) {
        return new HttpSettings(32, 64, 16, 20_000_000L, 16, threads, 60, 1000, 30, List.of());
    }

    private static ServeConfig config(HttpSettings http) {
        ServeConfig shipped = ServeConfig.DEFAULT;
        return new ServeConfig(
                http,
                new ServiceSettings(16, 8192, 1024, 256, 64, 300),
                shipped.cascade(),
                shipped.sessions(),
                shipped.reward(),
                shipped.policy(),
                shipped.roles());
    }

    /** If systemd kills a server before its end, the server loses requests that it should drain. */
    @Test
    void systemdWaitsUntilTheServerHasEnded() throws IOException {
        Path unit = Path.of(System.getProperty("prpf.root", "..")).resolve("packaging/prpf.service");
        Matcher timeout = Pattern.compile("(?m)^TimeoutStopSec=(\\d+)$").matcher(Files.readString(unit));
        assertThat(timeout.find()).isTrue();
        Duration longest = ServedParts.longestStop(ServeConfig.DEFAULT);
        assertThat(longest).isEqualTo(Duration.ofSeconds(92));
        assertThat(Duration.ofSeconds(Long.parseLong(timeout.group(1))))
                .as("with a forward pass of the reasoner")
                .isGreaterThan(longest.plusSeconds(20));
        assertThat(Files.readString(unit.resolveSibling("../Dockerfile")))
                .contains("--stop-timeout " + timeout.group(1));
        assertThat(Files.readString(unit))
                .contains("("
                        + longest.minusSeconds(ServeConfig.DEFAULT.http().drainTimeout())
                                .toSeconds() + " s at most)");
    }

    @Test
    void whatWaitsCannotTakeAllThreads() {
        assertThat(config(threads(266)).http().threads()).isEqualTo(266);
        assertThatThrownBy(() -> config(threads(265)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "http.threads = 265 must be at least 266: generation.max-sequences + 2 * generation.queue + cascade.queue"
                                + " + 58, for as many requests may wait for the vision encoder as generations");
    }
}
