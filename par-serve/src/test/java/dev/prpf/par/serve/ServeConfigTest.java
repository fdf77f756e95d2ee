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

    @Test
    void generationsCannotTakeAllThreads() {
        ServiceSettings generation = new ServiceSettings(16, 8192, 1024, 256, 64, 300);
        assertThat(new ServeConfig(threads(120), generation).http().threads()).isEqualTo(120);
        assertThatThrownBy(() -> new ServeConfig(threads(119), generation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "http.threads = 119 must be at least 120: generation.max-sequences + generation.queue + 40");
    }
}
