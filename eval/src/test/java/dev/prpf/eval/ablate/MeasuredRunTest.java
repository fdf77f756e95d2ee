package dev.prpf.eval.ablate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.files.LockFile;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasuredRunTest {
    @TempDir
    Path parent;

    private Path directory;

    @BeforeEach
    void name() {
        directory = parent.resolve("full");
    }

    private AblationPlan.Step run() {
        return new AblationPlan.Step("runs.full", "predict", List.of(), directory, null);
    }

    private RunDirectory begin(Resume resume) {
        return RunDirectory.open(
                directory, resume, new RunDescription("eval run", List.of(), "shortlist: 5\n", Map.of("data", "d")));
    }

    private void write(String file) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.resolveSibling("."));
        Files.writeString(path, "x");
    }

    @Test
    void nothingIsStillToRun() {
        assertThat(run().secondsOrCleared()).isNull();
        assertThat(directory).doesNotExist();
    }

    @Test
    void aRunThatWasStoppedBeginsAnew() throws IOException {
        begin(Resume.AUTO).close();
        write("predictions.jsonl");
        write("store/texts/a");
        assertThat(run().secondsOrCleared()).isNull();
        assertThat(directory).isDirectoryNotContaining(file -> !file.endsWith("run.lock"));
        begin(Resume.NEVER).close();
        assertThat(directory.resolve("run.json")).isNotEmptyFile();
    }

    /** The ablation was killed; its run's process continued. */
    @Test
    void aRunThatCameToItsEndIsKept() throws IOException {
        try (RunDirectory run = begin(Resume.AUTO)) {
            write("predictions.jsonl");
            write("store/texts/a");
            run.finish(Map.of("seconds", 12.5));
        }
        assertThat(run().secondsOrCleared()).isEqualTo(12.5);
        assertThat(directory.resolve("predictions.jsonl")).hasContent("x");
        assertThat(directory.resolve("store/texts/a")).hasContent("x");
    }

    @Test
    void aRunThatAnotherProcessWritesStays() throws IOException {
        write("predictions.jsonl");
        try (LockFile lock = LockFile.tryTake(directory.resolve("run.lock"))) {
            assertThat(lock).isNotNull();
            assertThat(run().secondsOrCleared()).isNull();
        }
        assertThat(directory.resolve("predictions.jsonl")).hasContent("x");
    }
}
