package dev.prpf.eval.ablate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.eval.ablate.AblationPlan.ContentHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trained models and perceivers are tested in {@code EvalJsonContractTest}. */
class ContentHashTest {
    @TempDir
    Path directory;

    @Test
    void aFileHasItsOwnSumAndAFolderThatOfAllInIt() throws IOException {
        Path file = Files.writeString(directory.resolve("a.json"), "a");
        assertThat(ContentHash.of(file)).isEqualTo(AtomicFiles.sha256(file));
        String before = ContentHash.of(directory);
        assertThat(ContentHash.of(directory)).isEqualTo(before).hasSize(64);

        Path inner = Files.createDirectories(directory.resolve("b")).resolve("c");
        Files.writeString(inner, "c");
        String with = ContentHash.of(directory);
        Files.writeString(inner, "d");
        String changed = ContentHash.of(directory);
        Files.move(inner, inner.resolveSibling("e"));
        assertThat(ContentHash.of(directory)).isNotIn(before, with, changed);
        assertThat(with).isNotIn(before, changed);
    }

    @Test
    void filesThatDecideAnswers_haveFactsOfTheirOwn() throws IOException {
        Files.writeString(directory.resolve("weights.bin"), "w");
        Path threshold = Files.writeString(directory.resolve("threshold.json"), "{}");
        assertThat(ContentHash.ofModel("models.mpp", directory))
                .containsOnlyKeys("models.mpp_sha256", "models.mpp/threshold.json_sha256")
                .containsEntry("models.mpp/threshold.json_sha256", AtomicFiles.sha256(threshold));
    }

    @Test
    void aModelWithoutWeightsIsRefused() throws IOException {
        Files.writeString(directory.resolve("config.json"), "{}");
        assertThatThrownBy(() -> ContentHash.ofModel("models.full", directory))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("safetensors");
    }
}
