package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.Fuzz;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.RunDirectory.RunListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
    @TempDir
    Path temp;

    private static RunDescription description(String config) {
        return new RunDescription("gate train", List.of("--data", "d.json"), config, Map.of("seed", 42L));
    }

    @Test
    void resumesWithTheSameConfigurationOnly() {
        Path run = temp.resolve("run");
        RunDirectory.open(run, Resume.AUTO, description("a: 1\n")).close();
        RunDirectory.open(run, Resume.REQUIRED, description("a: 1\n")).close();
        assertThatThrownBy(() -> RunDirectory.open(run, Resume.AUTO, description("a: 2\n")))
                .hasMessageContaining("another configuration");
        assertThatThrownBy(() -> RunDirectory.open(
                        run, Resume.AUTO, new RunDescription("gate train", List.of(), "a: 1\n", Map.of("seed", 7))))
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
                        new RunDescription("reasoner sft", List.of(), "a: 1\n", Map.of("seed", 42L))))
                .hasMessageContaining("command was \"gate train\" and now is \"reasoner sft\"");
    }

    private static RunDescription facts(Map<String, Object> facts) {
        return new RunDescription("gate train", List.of(), "", facts);
    }

    /** Settings of every type for mutated configurations. */
    record Settings(int count, double rate, boolean on, String name, List<String> names, Part part) {
        record Part(long seed, @Nullable Path file) {}
    }

    @Test
    void mutatedRuns_areReadOrRefused() throws IOException {
        String config = "count: 3\nrate: 0.5\non: true\nname: a\nnames: [a, 'b']\npart: {seed: 7, file: x/y}\n";
        Path run = temp.resolve("run");
        try (RunDirectory made = RunDirectory.open(run, Resume.AUTO, description(config))) {
            made.metric(1, Map.of("loss", 0.5));
            made.checkpoints().save(1, files -> Files.writeString(files.resolve("weights"), "0123456789"));
        }
        Map<Path, byte[]> whole = new LinkedHashMap<>();
        for (String name : List.of(
                "run.json",
                "config.resolved.yaml",
                "metrics.jsonl",
                "checkpoints/latest",
                "checkpoints/step_1/manifest.json",
                "checkpoints/step_1/weights")) {
            whole.put(run.resolve(name), Files.readAllBytes(run.resolve(name)));
        }
        List<Path> files = List.copyOf(whole.keySet());
        Fuzz.run(
                "configurations",
                500,
                List.of(Fuzz.bytes(config)),
                (input, random) -> StrictYaml.readText(
                        "config", new String(input, StandardCharsets.UTF_8), Settings.class, List.of()));
        Fuzz.run("run directories", 150, List.of(new byte[1]), (input, random) -> {
            for (Path file : files) {
                Files.write(file, whole.get(file));
            }
            Path victim = files.get(random.nextInt(files.size()));
            if (random.nextInt(8) == 0) {
                Files.delete(victim);
            } else {
                Path source = random.nextInt(8) == 0 ? files.get(random.nextInt(files.size())) : victim;
                Files.write(victim, Fuzz.mutated(Objects.requireNonNull(whole.get(source)), random));
            }
            assertThat(RunOverview.below(temp)).hasSize(1);
            List<Runnable> reads = List.of(
                    () -> RunDirectory.result(run),
                    () -> RunDirectory.description(run),
                    () -> RunDirectory.metrics(run),
                    () -> reopened(run, config));
            reads.get(random.nextInt(reads.size())).run();
        });
    }

    private static void reopened(Path run, String config) {
        try (RunDirectory again = RunDirectory.open(run, Resume.AUTO, description(config), file -> {})) {
            again.checkpoints().resumed();
            again.rewind(1);
        }
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
    void whatStandsInARunIsLookedForUnderTheLock() throws IOException {
        Path directory = temp.resolve("run");
        try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description(""))) {
            for (Resume resume : Resume.values()) {
                assertThatThrownBy(() -> RunDirectory.open(directory, resume, description("")))
                        .as("%s", resume)
                        .hasMessageContaining("another process is writing this run");
            }
            Files.delete(run.path().resolve("run.json"));
            assertThatThrownBy(() -> RunDirectory.open(directory, Resume.REQUIRED, description("")))
                    .hasMessageContaining("another process is writing this run");
        }
    }

    @Test
    void linesAreSyncedBeforeTheirCheckpointAndDescription() throws IOException {
        Path directory = temp.resolve("run");
        List<String> order = new ArrayList<>();
        try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description(""), file -> {
            boolean checkpoint = Files.exists(directory.resolve("checkpoints/step_1/manifest.json"));
            boolean done = Files.readString(directory.resolve("run.json")).contains("\"done\"");
            order.add(file.getFileName() + (checkpoint ? " after" : " before") + (done ? " done" : ""));
        })) {
            run.metric(1, Map.of("loss", 1.0));
            assertThat(order).isEmpty();
            run.checkpoints().save(1, folder -> Files.writeString(folder.resolve("w"), "w"));
            assertThat(order).containsExactly("metrics.jsonl before");
            order.clear();
            run.sample(1, Map.of("text", "a"));
            run.finish(Map.of());
            assertThat(order).containsExactly("metrics.jsonl after", "samples.jsonl after");
        }
    }

    @Test
    void aDescriptionThatIsEmptyOrNoObjectIsBadData() throws IOException {
        Path directory = temp.resolve("run");
        RunDirectory.open(directory, Resume.AUTO, description("")).close();
        for (String text : List.of("", "[]", "null", "7", " ")) {
            Files.writeString(directory.resolve("run.json"), text);
            assertThatThrownBy(() -> RunDirectory.open(directory, Resume.AUTO, description("")))
                    .isInstanceOf(InvalidDataException.class)
                    .hasMessage(directory.resolve("run.json")
                            + ": is not a JSON object, must be the description of a run; restore the file, or name"
                            + " another --run-dir");
            assertThatThrownBy(() -> RunDirectory.result(directory)).isInstanceOf(InvalidDataException.class);
        }
        Files.writeString(directory.resolve("run.json"), "{\"state\": \"run");
        assertThatThrownBy(() -> RunDirectory.open(directory, Resume.AUTO, description("")))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("run.json: is not JSON");
    }

    @Test
    void aFailureIsKeptUntilTheRunGoesOn() {
        Path file = temp.resolve("run/run.json");
        RunDirectory.open(temp.resolve("run"), Resume.AUTO, description("")).close();
        RunDirectory.failed("the loss is NaN");
        assertThat(file).content().contains("\"state\" : \"failed\"", "\"failure\" : \"the loss is NaN\"");
        RunDirectory.failed("another command, without a run");
        assertThat(file).content().contains("the loss is NaN");
        RunDirectory.open(temp.resolve("run"), Resume.AUTO, description("")).close();
        assertThat(file).content().contains("\"state\" : \"stopped\"").doesNotContain("failure", "failed");
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

    @Test
    void whoListensHearsOfEveryRun() {
        Path run = temp.resolve("run");
        List<String> heard = new ArrayList<>();
        RunDirectory.setListener(new RunListener() {
            @Override
            public void opened(Path path) {
                heard.add("opened " + path.getFileName());
            }

            @Override
            public void appended(Path path) {
                assertThat(RunDirectory.metrics(path)).isNotEmpty();
                heard.add("appended " + path.getFileName());
            }

            @Override
            public void closed(Path path) {
                assertThat(RunDirectory.read(path).path("state").asText()).isIn("stopped", "failed");
                heard.add("closed " + path.getFileName());
            }
        });
        try {
            try (RunDirectory open = RunDirectory.open(run, Resume.AUTO, description("a: 1\n"))) {
                open.metric(1, Map.of("loss", 0.5));
                open.sample(1, Map.of("text", "x"));
            }
            RunDirectory.failed("the loss is NaN");
            RunDirectory.failed("reported once");
        } finally {
            RunDirectory.setListener(null);
        }
        RunDirectory.open(run, Resume.AUTO, description("a: 1\n")).close();
        assertThat(heard).containsExactly("opened run", "appended run", "closed run", "closed run");
    }
}
