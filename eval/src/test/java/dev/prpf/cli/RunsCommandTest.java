package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class RunsCommandTest {
    @TempDir
    Path directory;

    @Command(name = "prpf", subcommands = RunsCommand.class)
    static final class Root {
        @Command(name = "train")
        int train(@Mixin RunOptions options) {
            return 0;
        }

        @Command(name = "score")
        int score() {
            return 0;
        }
    }

    private static RunDirectory open(Path run, String command, String... arguments) {
        return RunDirectory.open(run, Resume.AUTO, new RunDescription(command, List.of(arguments), "", Map.of()));
    }

    private String said(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            List<String> all = new ArrayList<>(List.of("runs"));
            all.addAll(List.of(arguments));
            assertThat(new CommandLine(new Root()).execute(all.toArray(String[]::new)))
                    .isZero();
        } finally {
            ResultStream.redirect(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The runs, each by its folder below the test's. */
    private JsonNode listed() throws IOException {
        ObjectNode runs = JsonNodeFactory.instance.objectNode();
        new ObjectMapper()
                .readTree(said(directory.toString(), "--json"))
                .get("runs")
                .forEach(run -> runs.set(
                        directory
                                .relativize(Path.of(run.get("run").textValue()))
                                .toString(),
                        run));
        return runs;
    }

    @Test
    void everyStateIsTold() throws IOException {
        try (RunDirectory done = open(directory.resolve("a/done"), "train", "train")) {
            done.metric(7, Map.of("loss", 0.25));
            done.finish(Map.of());
        }
        try (RunDirectory stopped = open(directory.resolve("b"), "train", "train", "--set=a b")) {
            stopped.metric(3, Map.of("loss", 0.5));
            Files.writeString(directory.resolve("b/metrics.jsonl"), "{\"step\":4,\"lo", StandardOpenOption.APPEND);
        }
        open(directory.resolve("c"), "score", "score", "--out", "c/x").close();
        RunDirectory.failed("the loss is NaN");
        open(directory.resolve("killed"), "train", "train", "--resume=never", "--run-dir", "it's")
                .close();
        Files.writeString(
                directory.resolve("killed/run.json"),
                Files.readString(directory.resolve("killed/run.json")).replace("stopped", "running"));
        try (RunDirectory running = open(directory.resolve("running"), "train", "train")) {
            JsonNode runs = listed();
            assertThat(running.finished()).isFalse();
            assertThat(runs.fieldNames()).toIterable().containsExactly("a/done", "b", "c", "killed", "running");
            assertThat(runs)
                    .extracting(run -> run.get("state").textValue())
                    .containsExactly("done", "interrupted", "failed", "interrupted", "running");
            assertThat(runs.get("a/done").get("step").longValue()).isEqualTo(7);
            assertThat(runs.get("a/done").get("metrics")).hasToString("{\"loss\":0.25}");
            assertThat(runs.get("a/done").get("resume").isNull()).isTrue();
            assertThat(runs.get("b").get("step").longValue()).isEqualTo(3);
            assertThat(runs.get("b").get("resume").textValue())
                    .isEqualTo("./prpf train '--set=a b' --run-dir " + directory.resolve("b"));
            assertThat(runs.get("c").get("problem").textValue()).isEqualTo("the loss is NaN");
            assertThat(runs.get("c").get("resume").textValue()).isEqualTo("./prpf score --out c/x");
            assertThat(runs.get("killed").get("resume").textValue()).isEqualTo("./prpf train --run-dir 'it'\\''s'");
        }
    }

    /** A run that ends between two polls is reported; following ends with the last run. */
    @Test
    void followingTellsWhatChangesUntilNothingRuns() throws IOException, InterruptedException {
        RunDirectory run = open(directory.resolve("a"), "train", "train");
        run.metric(1, Map.of("loss", 0.5));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            Thread watching =
                    new Thread(() -> new CommandLine(new Root()).execute("runs", "--follow", directory.toString()));
            watching.start();
            while (!out.toString(StandardCharsets.UTF_8).contains("1 runs in")) {
                LockSupport.parkNanos(10_000_000);
            }
            run.metric(2, Map.of("loss", 0.25));
            run.finish(Map.of());
            run.close();
            watching.join();
        } finally {
            ResultStream.redirect(before);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("%1$s/a: running, train, step 1\n  last metrics: loss 0.5\n1 runs in %1$s\n"
                                .formatted(directory)
                        + "%s/a: done, train, step 2\n  last metrics: loss 0.25\n".formatted(directory));
    }

    @Test
    void brokenRunsAreNamedAndNeverFatal() throws IOException {
        for (String name : List.of("empty", "array", "torn", "state")) {
            open(directory.resolve(name), "train", "train").close();
        }
        Files.writeString(directory.resolve("empty/run.json"), "");
        Files.writeString(directory.resolve("array/run.json"), "[]");
        Files.writeString(directory.resolve("torn/run.json"), "{\"command\": ");
        Files.writeString(directory.resolve("state/run.json"), "{\"state\": 7}");
        Files.createDirectories(directory.resolve("lost"));
        Files.writeString(directory.resolve("lost/metrics.jsonl"), "x");
        JsonNode runs = listed();
        assertThat(runs.fieldNames()).toIterable().containsExactly("array", "empty", "lost", "state", "torn");
        assertThat(runs).allMatch(run -> run.get("state").textValue().equals("broken"));
        assertThat(runs.get("empty").get("problem").textValue()).contains("empty/run.json", "is not a JSON object");
        assertThat(runs.get("lost").get("problem").textValue()).contains("lost/run.json", "no such file");
        assertThat(runs.get("state").get("problem").textValue()).contains("state = 7");
        assertThat(said(directory.toString())).contains("torn: broken", "5 runs in " + directory);
    }

    @Test
    void aPartOfARunGoesOnWithTheWhole() throws IOException {
        open(directory.resolve("all"), "train", "train", "--set=seeds=[1,2]").close();
        open(directory.resolve("all/seed-1"), "train", "train", "--set=seeds=[1,2]")
                .close();
        assertThat(listed().get("all/seed-1").get("resume").textValue())
                .isEqualTo("./prpf train '--set=seeds=[1,2]' --run-dir " + directory.resolve("all"));
    }

    @Test
    void noRunsAreNoError() {
        assertThat(said(directory.toString())).isEqualTo("0 runs in " + directory + System.lineSeparator());
    }
}
