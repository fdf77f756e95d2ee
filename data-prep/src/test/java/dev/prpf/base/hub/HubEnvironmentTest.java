package dev.prpf.base.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HubEnvironmentTest {
    @TempDir
    private Path home;

    @Test
    void withoutVariablesItIsTheEcosystemsDefault() {
        HubEnvironment environment = HubEnvironment.of(Map.of("HOME", home.toString()));
        assertThat(environment)
                .isEqualTo(new HubEnvironment(
                        "https://huggingface.co",
                        home.resolve(".cache/huggingface/hub"),
                        null,
                        false,
                        true,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10)));
    }

    @ParameterizedTest
    @CsvSource({
        "XDG_CACHE_HOME, /x, /x/huggingface/hub",
        "HF_HOME, /y, /y/hub",
        "HF_HUB_CACHE, /z, /z",
        "HUGGINGFACE_HUB_CACHE, /old, /old",
        "HF_HUB_CACHE, ~/c, HOME/c",
        "HF_HUB_CACHE, $HOME/d, HOME/d",
        "HF_HUB_CACHE, ${HOME}/e, HOME/e",
        "HF_HOME, ~, HOME/hub"
    })
    void theCacheLiesWhereItIsSaid(String name, String value, String cache) {
        assertThat(HubEnvironment.of(Map.of("HOME", home.toString(), name, value))
                        .cache())
                .isEqualTo(Path.of(cache.replace("HOME", home.toString())));
    }

    @Test
    void theTokenIsTheVariablesElseTheFiles() throws IOException {
        Files.writeString(home.resolve("token"), "hf_file\n");
        assertThat(HubEnvironment.of(Map.of("HF_HOME", home.toString())).token())
                .isEqualTo("hf_file");
        assertThat(HubEnvironment.of(Map.of("HF_HOME", home.toString(), "HF_TOKEN", " hf_set "))
                        .token())
                .isEqualTo("hf_set");
        assertThat(HubEnvironment.of(Map.of("HF_HOME", home.toString(), "HF_HUB_DISABLE_IMPLICIT_TOKEN", "true"))
                        .token())
                .isNull();
        assertThat(HubEnvironment.of(
                                Map.of("HF_TOKEN_PATH", home.resolve("token").toString()))
                        .token())
                .isEqualTo("hf_file");
    }

    @Test
    void theTokenStandsInNoText() {
        assertThat(HubEnvironment.of(Map.of("HF_TOKEN", "hf_secret")).toString())
                .doesNotContain("hf_secret")
                .contains("with a token");
    }

    @ParameterizedTest
    @CsvSource({"1, true", "ON, true", "yes, true", "True, true", "0, false", "no, false", "'', false"})
    void switchesAreRead(String value, boolean on) {
        Map<String, String> variables = Map.of("HF_HUB_OFFLINE", value, "HF_HUB_DISABLE_SYMLINKS", value);
        assertThat(HubEnvironment.of(variables).offline()).isEqualTo(on);
        assertThat(HubEnvironment.of(variables).symlinks()).isNotEqualTo(on);
    }

    @ParameterizedTest
    @CsvSource({
        "HF_ENDPOINT, hub.example.org, must be an address like https://HOST",
        "HF_ENDPOINT, ftp://x, must be an address like https://HOST",
        "HF_HUB_ETAG_TIMEOUT, soon, must be a number of seconds",
        "HF_HUB_DOWNLOAD_TIMEOUT, 0, at least 1",
        "HF_TOKEN, hf a, holds a blank"
    })
    void aValueThatCannotBeIsNamed(String name, String value, String rule) {
        assertThatThrownBy(() -> HubEnvironment.of(Map.of(name, value)))
                .hasMessageContaining(name)
                .hasMessageContaining(rule);
    }

    @Test
    void theEndpointsSlashGoes() {
        assertThat(HubEnvironment.of(Map.of("HF_ENDPOINT", "http://mirror:8080/hf//"))
                        .endpoint())
                .isEqualTo("http://mirror:8080/hf");
    }
}
