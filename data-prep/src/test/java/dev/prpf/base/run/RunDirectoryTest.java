package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
    @TempDir
    Path temp;

    private static RunDescription description(String config) {
        return new RunDescription("mpp train", List.of("--data", "d.json"), config, Map.of("seed", 42L));
    }

    @Test
    void resumesWithTheSameConfigurationOnly() {
        Path run = temp.resolve("run");
        RunDirectory.open(run, Resume.AUTO, description("a: 1\n")).close();
        RunDirectory.open(run, Resume.REQUIRED, description("a: 1\n")).close();
        assertThatThrownBy(() -> RunDirectory.open(run, Resume.AUTO, description("a: 2\n")))
                .hasMessageContaining("another configuration");
        assertThatThrownBy(() -> RunDirectory.open(
                        run, Resume.AUTO, new RunDescription("mpp train", List.of(), "a: 1\n", Map.of("seed", 7))))
                .hasMessageContaining("whose seed was 42 and now is 7");
        assertThatThrownBy(() -> RunDirectory.open(run, Resume.NEVER, description("a: 1\n")))
                .hasMessageContaining("--resume=never");
    }

    @Test
    void aFactOnOneSideOnlyIsADifferenceThatIsNamed() {
        Path run = temp.resolve("run");
        RunDirectory.open(run, Resume.AUTO, facts(Map.of("seed", 42L, "data_sha256", "ab", "share", 0.5)))
                .close();
        try (RunDirectory again =
                RunDirectory.open(run, Resume.AUTO, facts(Map.of("seed", 42, "data_sha256", "ab", "share", 0.5)))) {
            again.finish(Map.of("loss", 1.0));
        }
        RunDirectory.open(run, Resume.AUTO, facts(Map.of("seed", 42, "data_sha256", "ab", "share", 0.5)))
                .close();
        assertThatThrownBy(() -> RunDirectory.open(
                        run, Resume.AUTO, facts(Map.of("seed", 42, "share", 0.5, "pool_sha256", "cd"))))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContaining("data_sha256 was \"ab\" and now is absent")
                .hasMessageContaining("pool_sha256 was absent and now is \"cd\"");
    }

    @Test
    void aRunOfAnotherCommandIsNotGoneOnWith() {
        RunDirectory.open(temp.resolve("run"), Resume.AUTO, description("a: 1\n"))
                .close();
        assertThatThrownBy(() -> RunDirectory.open(
                        temp.resolve("run"),
                        Resume.AUTO,
                        new RunDescription("par sft", List.of(), "a: 1\n", Map.of("seed", 42L))))
                .hasMessageContaining("command was \"mpp train\" and now is \"par sft\"");
    }

    private static RunDescription facts(Map<String, Object> facts) {
        return new RunDescription("mpp train", List.of(), "", facts);
    }

    @Test
    void requiredNeedsARun() {
        assertThatThrownBy(() -> RunDirectory.open(temp.resolve("none"), Resume.REQUIRED, description("")))
                .hasMessageContaining("no run to resume");
        assertThat(temp.resolve("none")).doesNotExist();
    }

    @Test
    void rewindDropsLaterAndTornLines() throws IOException {
        RunDirectory run = RunDirectory.open(temp.resolve("run"), Resume.AUTO, description(""));
        for (int step = 1; step <= 4; step++) {
            run.metric(step, Map.of("loss", step / 10.0));
        }
        Files.writeString(run.path().resolve("metrics.jsonl"), "{\"step\":2,\"lo", StandardOpenOption.APPEND);
        run.rewind(2);
        assertThat(RunDirectory.metrics(run.path()))
                .extracting(line -> line.get("loss").asDouble())
                .containsExactly(0.1, 0.2);
    }

    @Test
    void finishIsRecorded() {
        RunDirectory run = RunDirectory.open(temp.resolve("run"), Resume.AUTO, description(""));
        assertThat(run.finished()).isFalse();
        run.finish(Map.of("dev_loss", 0.5));
        assertThat(run.finished()).isTrue();
        assertThat(run.path().resolve("run.json")).content().contains("\"dev_loss\" : 0.5", "\"state\" : \"done\"");
    }

    @Test
    void aFinishedRunThatIsOpenedAgainStaysFinished() {
        try (RunDirectory run = RunDirectory.open(temp.resolve("run"), Resume.AUTO, description(""))) {
            run.finish(Map.of("dev_loss", 0.5));
        }
        try (RunDirectory again = RunDirectory.open(temp.resolve("run"), Resume.AUTO, description(""))) {
            assertThat(again.finished()).isTrue();
        }
        assertThat(temp.resolve("run/run.json")).content().contains("\"state\" : \"done\"");
    }

    @Test
    void aRunThatIsLeftBeforeItsEndIsMarkedAsStoppedUntilItGoesOn() {
        Path file = temp.resolve("run/run.json");
        try (RunDirectory run = RunDirectory.open(temp.resolve("run"), Resume.AUTO, description(""))) {
            assertThat(file).content().contains("\"state\" : \"running\"");
            run.metric(1, Map.of("loss", 0.5));
        }
        assertThat(file).content().contains("\"state\" : \"stopped\"", "\"stopped\" : \"2");
        try (RunDirectory run = RunDirectory.open(temp.resolve("run"), Resume.AUTO, description(""))) {
            assertThat(file).content().contains("\"state\" : \"running\"").doesNotContain("stopped");
            run.finish(Map.of());
        }
        assertThat(file).content().contains("\"state\" : \"done\"").doesNotContain("stopped");
    }

    @Test
    void aSecondWriterIsRefusedAndHarmsNothing() {
        Path directory = temp.resolve("run");
        try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description(""))) {
            assertThatThrownBy(() -> RunDirectory.open(directory, Resume.AUTO, description("")))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                    .hasMessage(directory
                            + ": another process is writing this run; wait for it, or name another --run-dir");
            assertThat(run.path().resolve("run.json")).content().contains("\"state\" : \"running\"");
        }
    }

    @Test
    void atomicWriteLeavesTheOldFileOnFailure() {
        Path file = temp.resolve("f.txt");
        AtomicFiles.writeText(file, "old");
        assertThatThrownBy(() -> AtomicFiles.write(file, out -> {
                    out.write('n');
                    throw new IOException("No space left on device");
                }))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("cannot write " + file + ": No space left on device");
        assertThat(file).hasContent("old");
        assertThat(temp).isDirectoryContaining(p -> p.equals(file)).isDirectoryNotContaining("glob:**.partial");
    }

    @Test
    void aSignalSetsTheFlag() throws Exception {
        try (StopSignal stop = StopSignal.install()) {
            assertThat(stop.requested()).isFalse();
            new ProcessBuilder(
                            "kill",
                            "-USR1",
                            Long.toString(ProcessHandle.current().pid()))
                    .start()
                    .waitFor();
            for (int i = 0; i < 100 && !stop.requested(); i++) {
                Thread.sleep(20);
            }
            assertThat(stop.requested()).isTrue();
        }
    }
}
