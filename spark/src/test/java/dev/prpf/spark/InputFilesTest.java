package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.spark.InputOptions.InputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputFilesTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void makeFiles() throws IOException {
        for (String name : List.of(
                "part-1.jsonl",
                "part-0.jsonl",
                "more/part-2.jsonl",
                "_SUCCESS",
                ".part-0.jsonl.crc",
                "_temporary/0/part-9.jsonl",
                "more/_logs/part-9.jsonl",
                "more/.hidden/part-9.jsonl",
                "more/_part-9.jsonl",
                "under_score/a_b.jsonl")) {
            write(name, "{}\n");
        }
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    /** Returns the found files, relative to the folder. */
    private List<String> found(String given) {
        return InputFiles.of(folder.resolve(given).toString(), new Configuration()).files().stream()
                .map(file -> folder.relativize(Path.of(file.toUri().getPath())).toString())
                .toList();
    }

    @Test
    void folderListsFilesByPathWithoutHiddenOnes() {
        assertThat(found("."))
                .as("in no file's or folder's name below it _ or . comes first")
                .containsExactly("more/part-2.jsonl", "part-0.jsonl", "part-1.jsonl", "under_score/a_b.jsonl");
        assertThat(found("more")).containsExactly("more/part-2.jsonl");
    }

    @Test
    void patternSkipsHiddenFiles() {
        assertThat(found("*"))
                .containsExactly("more/part-2.jsonl", "part-0.jsonl", "part-1.jsonl", "under_score/a_b.jsonl");
        assertThat(found("part-[0-9].jsonl")).containsExactly("part-0.jsonl", "part-1.jsonl");
        assertThat(found("{part-1,_SUCCESS}*")).containsExactly("part-1.jsonl");
    }

    @Test
    void hiddenFileNamedInFullIsRead() {
        assertThat(found("_temporary"))
                .as("the folder itself may have such a name")
                .containsExactly("_temporary/0/part-9.jsonl");
        assertThat(found("_SUCCESS")).containsExactly("_SUCCESS");
    }

    @Test
    void missingInputIsReported() {
        for (String given : List.of("none", "none-*.jsonl", "more/_logs/_*")) {
            assertThatThrownBy(() -> found(given))
                    .isInstanceOf(InvalidDataException.class)
                    .hasMessage(folder.resolve(given) + ": there is no such file, or no file in it; name a file, a"
                            + " folder or a pattern of JSON Lines or Parquet files");
        }
    }

    @Test
    void mixedKindsAndJsonArraysAreRejected() throws IOException {
        write("part-3.parquet", "PAR1");
        assertThatThrownBy(() -> found("."))
                .hasMessageContaining(": 1 of its 5 files end with .parquet and the others do not");
        assertThat(InputFiles.of(folder.resolve("*.parquet").toString(), new Configuration())
                        .parquet())
                .isTrue();
        write("part-0.jsonl", " \n[{}]");
        assertThatThrownBy(() -> found("part-*.jsonl"))
                .hasMessageContaining("part-0.jsonl: holds a JSON array, which cannot be cut into partitions");
    }
}
