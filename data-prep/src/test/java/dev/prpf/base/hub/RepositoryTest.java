package dev.prpf.base.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.hub.HubRequest.FileFilter;
import dev.prpf.base.hub.HubRequest.Repository;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryTest {
    @Test
    void theFolderSaysWhatItHolds() {
        assertThat(new Repository(Repository.Type.MODEL, "gpt2").folder()).isEqualTo("models--gpt2");
        assertThat(new Repository(Repository.Type.DATASET, "Foo-BAR_foo/bar.1").folder())
                .isEqualTo("datasets--Foo-BAR_foo--bar.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b/c", ".hidden", "a--b", "a..b", "a.git", "a/", "/a", "a b", "../x", "文件夹", "-a"})
    void whatTheHubWouldNotNameIsRefused(String id) {
        assertThatThrownBy(() -> new Repository(Repository.Type.MODEL, id))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("repository \"" + id + "\"");
    }

    @Test
    void aTypeInTheNameIsPointedOut() {
        assertThatThrownBy(() -> new Repository(Repository.Type.MODEL, "datasets/org/set"))
                .hasMessageContaining("--repo-type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "../x", "/x", "a//b", "a\\b", " main"})
    void aRevisionThatIsNoNameIsRefused(String revision) {
        assertThatThrownBy(() -> new HubRequest(
                        new Repository(Repository.Type.MODEL, "a"),
                        revision,
                        new FileFilter(List.of(), List.of()),
                        null))
                .hasMessageContaining("revision \"" + revision + "\"");
    }

    @Test
    void aGlobThatIsNoneIsNamedInOneLine() {
        assertThatThrownBy(() -> new FileFilter(List.of("[z-a]*"), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("glob \"[z-a]*\": Illegal character range");
    }

    @ParameterizedTest
    @CsvSource({
        "*.json, config.json, true",
        "*.json, a/b/config.json, true",
        "a/*.json, a/b/config.json, true",
        "*.JSON, config.json, false",
        "a/, a/b/c, true",
        "model-0000[12]*, model-00002-of-3, true",
        "model-0000[!12]*, model-00002-of-3, false",
        "a?c, abc, true",
        "a.c, abc, false",
        "[]]x, ]x, true",
        "[a, [a, true",
        "[^a]b, cb, false",
        "[^a]b, ^b, true",
        "[a&&b]x, &x, true",
        "?x, 😀x, true",
        "模型-😀*, 模型-😀.json, true"
    })
    void globsAreThoseOfFnmatch(String glob, String path, boolean matches) {
        assertThat(new FileFilter(List.of(glob), List.of()).wants(path)).isEqualTo(matches);
        assertThat(new FileFilter(List.of(), List.of(glob)).wants(path)).isNotEqualTo(matches);
    }
}
