package dev.prpf.cli.tracking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunOverview;
import dev.prpf.cli.CommandProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TrackCommandTest {
    @TempDir
    Path directory;

    private static String track(String uri, Object... arguments) {
        TrackCommand command = new TrackCommand(Map.of("MLFLOW_TRACKING_URI", uri));
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        new CommandLine(command).parseArgs(words);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            command.run();
        } finally {
            ResultStream.redirect(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private Path seeds() throws IOException {
        Path outer = directory.resolve("seeds");
        try (RunDirectory run = TrackedTraining.open(outer)) {
            run.finish(Map.of());
        }
        Path seed = outer.resolve("seed_42");
        try (RunDirectory run = TrackedTraining.open(seed)) {
            TrackedTraining.train(run, 1, 3);
        }
        Path json = seed.resolve("run.json"); // as a process that was killed leaves it
        Files.writeString(json, Files.readString(json).replace("stopped", "running"));
        return outer;
    }

    @Test
    void runsThatLieThereAreSentOnce() throws IOException {
        Path outer = seeds();
        try (FakeMlflow server = new FakeMlflow()) {
            JsonNode runs = new ObjectMapper()
                    .readTree(track(server.uri(), outer, "--to", "mlflow", "--json"))
                    .get("runs");
            assertThat(runs).hasSize(2);
            assertThat(runs.get(1).get("run").textValue())
                    .isEqualTo(outer.resolve("seed_42").toString());
            assertThat(runs.get(1).get("state").textValue()).isEqualTo("interrupted");
            assertThat(runs.get(1).get("lines").intValue()).isEqualTo(3);
            FakeMlflow.Run seed = server.run("seed_42");
            assertThat(runs.get(1).get("place").textValue())
                    .isEqualTo(server.uri() + "/#/experiments/0/runs/" + server.id(seed));
            assertThat(seed.tags).containsEntry("mlflow.parentRunId", server.id(server.run("seeds")));
            assertThat(seed.status).isEqualTo("KILLED");
            int rows = seed.rows();
            assertThat(track(server.uri(), outer.resolve("seed_42"), "--to", "mlflow"))
                    .contains("seed_42: interrupted, 0 lines of metrics sent, see " + server.uri());
            assertThat(server.runs).hasSize(2);
            assertThat(seed.rows()).isEqualTo(rows);
        }
    }

    @Test
    void aProcessOfItsOwnFindsTheServerInItsEnvironment() throws IOException {
        Path outer = seeds();
        try (FakeMlflow server = new FakeMlflow()) {
            CommandProcess.Result done = CommandProcess.in(directory)
                    .withEnvironment(Map.of("MLFLOW_TRACKING_URI", server.uri()))
                    .run("runs", "track", outer.toString(), "--to", "mlflow");
            assertThat(done.exitCode()).as(done.stderr()).isZero();
            assertThat(server.run("seed_42").history("loss")).hasSize(3);
        }
    }

    @Test
    void aRunThatIsBeingWrittenIsSentAsFarAsItIs() throws IOException {
        Path folder = directory.resolve("sft");
        try (FakeMlflow server = new FakeMlflow();
                RunDirectory run = TrackedTraining.open(folder)) {
            TrackedTraining.train(run, 1, 3);
            // another process would see the lock of the run; this one must not look, since that frees it
            Path json = folder.resolve("run.json");
            assertThat(Files.readString(json)).contains("running");
            TrackedRun tracked = new TrackedRun(
                    folder, Tracking.factory(Tracker.MLFLOW, Map.of("MLFLOW_TRACKING_URI", server.uri())));
            tracked.closed = true;
            assertThat(tracked.sync(RunOverview.State.RUNNING)).isTrue();
            assertThat(server.onlyRun().history("loss")).hasSize(3);
            assertThat(server.onlyRun().status).isEqualTo("RUNNING");
        }
    }

    @Test
    void whatCannotBeSentSaysWhy() throws IOException {
        Path folder = directory.resolve("sft");
        try (RunDirectory run = TrackedTraining.open(folder);
                FakeMlflow server = new FakeMlflow()) {
            run.finish(Map.of());
            server.failing(new FakeMlflow.Fault("", 403, "{\"error_code\":\"PERMISSION_DENIED\"}", false));
            assertThatThrownBy(() -> track(server.uri(), folder, "--to", "mlflow"))
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessageStartingWith(server.uri() + " answered 403 PERMISSION_DENIED to: show experiment 0");
            server.failing(null);
            assertThatThrownBy(() -> track("mlruns", folder, "--to", "mlflow"))
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessageStartingWith("MLFLOW_TRACKING_URI = mlruns, must be the address");
            assertThatThrownBy(() -> track(server.uri(), folder, "--to", "wandb"))
                    .isInstanceOf(CommandLine.ParameterException.class)
                    .hasMessageContaining("'wandb' is not one of mlflow, tensorboard");
        }
    }

    @Test
    void aServerThatLostTheRunIsNamed() throws IOException {
        Path folder = directory.resolve("sft");
        try (RunDirectory run = TrackedTraining.open(folder)) {
            run.finish(Map.of());
        }
        String first;
        try (FakeMlflow server = new FakeMlflow()) {
            first = server.uri();
            track(first, folder, "--to", "mlflow");
        }
        try (FakeMlflow other = new FakeMlflow()) {
            assertThatThrownBy(() -> track(other.uri(), folder, "--to", "mlflow"))
                    .isInstanceOf(InvalidDataException.class)
                    .hasMessage(
                            other.uri() + " has no run 00000000000000000000000000000001; give the server that has it, "
                                    + first + ", or remove " + folder.resolve("tracking/mlflow.json")
                                    + " to send the run again as a new one");
        }
    }

    @Test
    void runsThatCannotBeReadAreRefused() throws IOException {
        assertThatThrownBy(() -> track("", directory, "--to", "tensorboard"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(directory + ": holds no run; give the folder of one, with its run.json");
        Path folder = directory.resolve("sft");
        TrackedTraining.open(folder).close();
        Files.writeString(folder.resolve("metrics.jsonl"), "{\"loss\":1}\n");
        assertThatThrownBy(() -> track("", folder, "--to", "tensorboard"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(
                        folder.resolve("metrics.jsonl") + ":1: a line must be an object with a \"step\": {\"loss\":1}");
        Files.writeString(folder.resolve("run.json"), "");
        assertThatThrownBy(() -> track("", folder, "--to", "tensorboard"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("run.json: is not a JSON object");
    }
}
