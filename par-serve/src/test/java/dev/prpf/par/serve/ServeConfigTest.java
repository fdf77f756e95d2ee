package dev.prpf.par.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.serve.generation.ServiceSettings;
import dev.prpf.par.serve.http.HttpSettings;
import org.junit.jupiter.api.Test;

class ServeConfigTest {
    private static HttpSettings threads(int threads) {
        return new HttpSettings(32, 64, 16, 20_000_000L, 16, threads, 60, 1000, 30);
    }

    private static ServeConfig config(HttpSettings http) {
        ServeConfig shipped = ServeConfig.DEFAULT;
        return new ServeConfig(
                http,
                new ServiceSettings(16, 8192, 1024, 256, 64, 300),
                shipped.cascade(),
                shipped.sessions(),
                shipped.reward(),
                shipped.policy());
    }

    @Test
    void generationsCannotTakeAllThreads() {
        assertThat(config(threads(120)).http().threads()).isEqualTo(120);
        assertThatThrownBy(() -> config(threads(119)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "http.threads = 119 must be at least 120: generation.max-sequences + generation.queue + 40");
    }
}
