package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetShardsTest {
    @TempDir
    private Path folder;

    private Path file(String name) throws IOException {
        return Files.writeString(folder.resolve(name), name);
    }

    @Test
    void aFileStandsForItselfAlone() throws IOException {
        Path second = file("train-00001-of-00002.parquet");
        assertThat(ParquetShards.isParquet(second)).isTrue();
        assertThat(ParquetShards.of(second)).containsExactly(second);
        Path missing = folder.resolve("missing.parquet");
        assertThat(ParquetShards.isParquet(missing)).isTrue();
        assertThat(ParquetShards.of(missing)).as("whoever opens it says so").containsExactly(missing);
        assertThat(ParquetShards.isParquet(file("data.json"))).isFalse();
        assertThat(ParquetShards.isParquet(folder.resolve("missing.json"))).isFalse();
    }

    @Test
    void aFolderStandsForItsOneSplitInOrder() throws IOException {
        Path second = file("train-00001-of-00002.parquet");
        Path first = file("train-00000-of-00002.parquet");
        file("README.md");
        file(".hidden.parquet");
        assertThat(ParquetShards.isParquet(folder)).isTrue();
        assertThat(ParquetShards.of(folder)).containsExactly(first, second);
    }

    @Test
    void filesOfTheHubsConverterHaveNoSplitInTheirNames() throws IOException {
        Path second = file("0001.parquet");
        Path first = file("0000.parquet");
        assertThat(ParquetShards.of(folder)).containsExactly(first, second);
    }

    @Test
    void ofSeveralSplitsOneIsNamedByTheBeginningOfItsFiles() throws IOException {
        Path test = file("test-00000-of-00001.parquet");
        file("train-00000-of-00001.parquet");
        assertThatThrownBy(() -> ParquetShards.of(folder))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(folder + ": is a folder with several splits, [test, train]; name one, as in "
                        + folder.resolve("test"));
        assertThat(ParquetShards.isParquet(folder.resolve("test"))).isTrue();
        assertThat(ParquetShards.of(folder.resolve("test"))).containsExactly(test);
        assertThat(ParquetShards.isParquet(folder.resolve("validation"))).isFalse();
    }

    @Test
    void aMissingShardIsSaid() throws IOException {
        file("train-00000-of-00003.parquet");
        file("train-00002-of-00003.parquet");
        assertThatThrownBy(() -> ParquetShards.of(folder))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContainingAll(
                        "train-00001-of-00003.parquet is expected, found train-00002-of-00003",
                        "give all of one export");
        Files.delete(folder.resolve("train-00002-of-00003.parquet"));
        assertThatThrownBy(() -> ParquetShards.of(folder.resolve("train")))
                .hasMessageContaining("train-00001-of-00003.parquet is missing; give all of one export");
    }

    @Test
    void aFolderWithoutShardsIsRefused() {
        assertThatThrownBy(() -> ParquetShards.of(folder))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(folder + ": is a folder without .parquet files; name a folder that has some, or a file");
    }

    @Test
    void shardsHaveOneSumThatTheirNamesAndContentsMake() throws IOException {
        Path first = file("train-00000-of-00002.parquet");
        Path second = file("train-00001-of-00002.parquet");
        String whole = AtomicFiles.sha256(folder);
        assertThat(whole).hasSize(64).isEqualTo(AtomicFiles.sha256(folder.resolve("train")));
        assertThat(whole).isNotEqualTo(AtomicFiles.sha256(first));
        Files.writeString(second, "other");
        assertThat(AtomicFiles.sha256(folder)).isNotEqualTo(whole);
        assertThat(List.of(AtomicFiles.sha256(first))).doesNotContain(whole);
    }
}
