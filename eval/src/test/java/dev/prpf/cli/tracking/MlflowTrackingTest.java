package dev.prpf.cli.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.commons.lang3.function.FailableConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of this process on a server that speaks MLflow's API. */
class MlflowTrackingTest {
    @TempDir
    Path directory;

    private FakeMlflow server;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        server = new FakeMlflow();
        environment.put("MLFLOW_TRACKING_URI", server.uri() + "/");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void tracked(Path folder, FailableConsumer<RunDirectory, IOException> training) {
        TrackedTraining.tracked(environment, Tracker.MLFLOW, folder, training);
    }

    private static Long[] steps(int to) {
        return LongStream.rangeClosed(1, to).boxed().toArray(Long[]::new);
    }

    @Test
    void aRunHasMetricsProvenanceAndDocuments() throws IOException {
        Path folder = directory.resolve("sft");
        tracked(folder, run -> {
            TrackedTraining.train(run, 1, 3);
            Files.writeString(folder.resolve("report.html"), "<p>curves</p>");
            run.finish(Map.of("steps", 3, "dev", Map.of("reward", 7.25), "model", "there"));
        });
        FakeMlflow.Run run = server.onlyRun();
        assertThat(run.name).isEqualTo("sft");
        assertThat(run.experiment).isEqualTo("0");
        assertThat(run.status).isEqualTo("FINISHED");
        assertThat(run.ended).isGreaterThanOrEqualTo(run.started).isPositive();
        assertThat(run.history("loss")).containsExactly(Map.entry(1L, 1.0), Map.entry(2L, 0.5), Map.entry(3L, 1.0 / 3));
        assertThat(run.history("rewards/trig/mean")).containsOnlyKeys(steps(3));
        assertThat(run.history("best")).containsExactly(Map.entry(1L, 0.0), Map.entry(2L, 1.0), Map.entry(3L, 0.0));
        assertThat(run.history("result/dev/reward")).containsExactly(Map.entry(3L, 7.25));
        assertThat(run.metrics()).noneMatch(metric -> metric.key().startsWith("grad_norm"));
        assertThat(run.parameters)
                .containsExactly(
                        Map.entry("training.learning-rate", "0.003"),
                        Map.entry("training.betas", "[0.9,0.95]"),
                        Map.entry("training.lora", "null"),
                        Map.entry("seed", "7"));
        assertThat(run.tags)
                .containsEntry("prpf.command", "reasoner sft")
                .containsEntry("prpf.command_line", "./prpf reasoner sft --track mlflow")
                .containsEntry("mlflow.source.name", "prpf reasoner sft")
                .containsEntry("prpf.data.sha256", "bf47")
                .containsEntry("prpf.seeds", "[42,43]")
                .containsEntry("prpf.device", "cpu")
                .containsKeys("prpf.versions.java", "prpf.versions.revision", "mlflow.source.git.commit")
                .doesNotContainKey("mlflow.parentRunId");
        assertThat(run.artifacts).containsOnlyKeys("config.resolved.yaml", "run.json", "report.html");
        assertThat(run.artifacts).containsEntry("report.html", "<p>curves</p>");
        assertThat(run.artifacts.get("run.json")).contains("\"state\" : \"done\"");
    }

    @Test
    void metricsComeWhileTheRunGoesOn() {
        tracked(directory.resolve("sft"), run -> {
            TrackedTraining.await(() -> server.runs.size() == 1);
            TrackedTraining.train(run, 1, 2);
            TrackedTraining.await(() -> server.onlyRun().history("loss").size() == 2);
            TrackedTraining.train(run, 3, 4);
            TrackedTraining.await(() -> server.onlyRun().history("loss").size() == 4);
            assertThat(server.onlyRun().status).isEqualTo("RUNNING");
        });
        assertThat(server.onlyRun().status).isEqualTo("KILLED");
    }

    @Test
    void aResumedRunGoesOnInTheSameRunAndSendsNoStepTwice() {
        Path folder = directory.resolve("sft");
        tracked(folder, run -> {
            TrackedTraining.train(run, 1, 10);
        });
        assertThat(server.onlyRun().status).isEqualTo("KILLED");
        int before = server.onlyRun().rows();
        tracked(folder, run -> {
            TrackedTraining.await(() -> server.onlyRun().status.equals("RUNNING"));
            run.rewind(6); // the newest checkpoint
            TrackedTraining.train(run, 7, 13);
            run.finish(Map.of());
        });
        FakeMlflow.Run run = server.onlyRun();
        assertThat(run.history("loss")).containsOnlyKeys(steps(13));
        assertThat(run.rows()).isEqualTo(before + 3 * 3);
        assertThat(run.status).isEqualTo("FINISHED");
    }

    @Test
    void severalLinesOfAStepAreToldApart() {
        Path folder = directory.resolve("sft");
        tracked(folder, run -> {
            TrackedTraining.train(run, 1, 5);
        });
        tracked(folder, run -> {
            run.rewind(5);
            run.metric(5, Map.of("eval_loss", 0.75));
            run.finish(Map.of());
        });
        assertThat(server.onlyRun().history("eval_loss")).containsExactly(Map.entry(5L, 0.75));
        assertThat(server.onlyRun().history("loss")).containsOnlyKeys(steps(5));
    }

    /** The server took the batch, and its answer was lost. */
    @Test
    void linesWithoutAnAnswerAreSentAgain() {
        Path folder = directory.resolve("sft");
        try (Logged logged = new Logged()) {
            tracked(folder, run -> {
                TrackedTraining.await(() -> !server.requests.isEmpty()
                        && server.requests.get(server.requests.size() - 1).endsWith("runs/update"));
                server.failing(new FakeMlflow.Fault("/runs/log-batch", 500, "", true));
                TrackedTraining.train(run, 1, 4);
                TrackedTraining.await(() -> server.onlyRun().rows() > 12);
            });
            assertThat(logged.warnings()).anyMatch(line -> line.contains("answered 500 to: keep metrics"));
            server.failing(null);
            tracked(folder, run -> {
                run.rewind(2);
                TrackedTraining.train(run, 3, 6);
            });
        }
        assertThat(server.onlyRun().metrics().stream()
                        .filter(metric -> metric.key().equals("loss"))
                        .map(FakeMlflow.Metric::step))
                .contains(steps(6));
    }

    @Test
    void runsWithinARunAreNestedBelowIt() {
        Path outer = directory.resolve("seeds");
        server.experiment("7", "others");
        environment.put("MLFLOW_EXPERIMENT_ID", "7");
        tracked(outer, all -> {
            for (String seed : List.of("seed_42", "seed_43")) {
                try (RunDirectory run =
                        TrackedTraining.open(outer.resolve("runs").resolve(seed))) {
                    TrackedTraining.train(run, 1, 2);
                    run.finish(Map.of());
                }
            }
            all.finish(Map.of());
        });
        String parent = server.id(server.run("seeds"));
        assertThat(server.run("seed_42").tags).containsEntry("mlflow.parentRunId", parent);
        assertThat(server.run("seed_43").tags).containsEntry("mlflow.parentRunId", parent);
        assertThat(server.runs.values()).allMatch(run -> run.status.equals("FINISHED") && run.experiment.equals("7"));
    }

    @Test
    void theOutermostIsNestedBelowTheRunOfTheEnvironment() {
        tracked(directory.resolve("sweep"), run -> {
            run.finish(Map.of());
        });
        String parent = server.id(server.run("sweep"));
        environment.put("MLFLOW_RUN_ID", parent);
        environment.put("MLFLOW_EXPERIMENT_NAME", "sweeps");
        tracked(directory.resolve("member"), run -> {
            run.finish(Map.of());
        });
        assertThat(server.run("member").tags).containsEntry("mlflow.parentRunId", parent);
        assertThat(server.kept(server.run("member").experiment).name).isEqualTo("sweeps");
    }

    @Test
    void batchesKeepToTheLimits() {
        Map<String, Double> wide = new HashMap<>();
        IntStream.range(0, 2500).forEach(i -> wide.put("m" + i, (double) i));
        tracked(directory.resolve("wide"), run -> {
            run.metric(1, wide);
            TrackedTraining.train(run, 2, 1500);
            run.finish(Map.of());
        });
        FakeMlflow.Run run = server.onlyRun();
        assertThat(run.metrics()).hasSize(2500 + 3 * 1499);
        assertThat(run.rows()).isEqualTo(2500 + 3 * 1499);
    }

    @Test
    void aServerThatRefusesNeverStopsTheRunAndIsNamedOnce() throws IOException {
        server.close();
        Path folder = directory.resolve("sft größer");
        try (Logged logged = new Logged()) {
            tracked(folder, run -> {
                TrackedTraining.await(() -> !logged.warnings().isEmpty());
                TrackedTraining.train(run, 1, 50);
                run.finish(Map.of("steps", 50));
            });
            assertThat(logged.warnings()).hasSize(2);
            assertThat(logged.warnings().get(0))
                    .startsWith("mlflow: " + server.uri() + ": the request to show experiment 0 failed: ")
                    .contains("Connection refused")
                    .endsWith("the run continues, and unsent lines are sent later");
            assertThat(logged.warnings().get(1))
                    .isEqualTo(folder + ": lines remain that were not sent to mlflow; to send them: ./prpf runs track '"
                            + folder + "' --to mlflow");
        }
        assertThat(RunDirectory.metrics(folder)).hasSize(50);
        assertThat(RunDirectory.result(folder).get("steps").intValue()).isEqualTo(50);
    }

    @Test
    void aServerThatHangsIsLeftAtTheEnd() {
        environment.put("MLFLOW_HTTP_REQUEST_TIMEOUT", "1");
        server.failing(new FakeMlflow.Fault("/experiments/get", 0, "", false));
        Path folder = directory.resolve("sft");
        try (Logged logged = new Logged()) {
            tracked(folder, run -> {
                TrackedTraining.train(run, 1, 5);
                run.finish(Map.of());
                TrackedTraining.await(() -> !logged.warnings().isEmpty());
            });
            assertThat(logged.warnings())
                    .first()
                    .asString()
                    .contains(server.uri()
                            + " gave no answer within 1 s (MLFLOW_HTTP_REQUEST_TIMEOUT) to: show experiment 0");
        }
        assertThat(server.runs).isEmpty();
    }

    @Test
    void aServerThatComesBackGetsAll() {
        server.failing(new FakeMlflow.Fault("", 503, "being moved", false));
        try (Logged logged = new Logged()) {
            tracked(directory.resolve("sft"), run -> {
                TrackedTraining.train(run, 1, 5);
                TrackedTraining.await(() -> logged.warnings().size() == 1);
                assertThat(logged.warnings().get(0)).contains("answered 503 to: show experiment 0: being moved");
                server.failing(null);
                TrackedTraining.await(() -> server.runs.size() == 1
                        && server.onlyRun().history("loss").size() == 5);
            });
        }
        assertThat(server.onlyRun().history("loss")).containsOnlyKeys(steps(5));
    }

    @Test
    void refusalsSayWhatToDo() {
        assertThat(refusal(401, "{\"error_code\":\"UNAUTHENTICATED\",\"message\":\"You are not authenticated.\"}"))
                .contains("answered 401 UNAUTHENTICATED to: show experiment 0: You are not authenticated.")
                .contains("give MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN");
        assertThat(refusal(404, "<html>nothing here</html>"))
                .contains("answered 404 to: show experiment 0", "is it a server of MLflow?");
        assertThat(refusal(200, "<html>welcome</html>")).contains("its answer is not MLflow's");
    }

    private String refusal(int status, String body) {
        server.failing(new FakeMlflow.Fault("/experiments/get", status, body, false));
        Path folder = directory.resolve("run-" + status);
        try (Logged logged = new Logged()) {
            tracked(folder, run -> {
                TrackedTraining.await(() -> !logged.warnings().isEmpty());
            });
            return logged.warnings().get(0);
        }
    }

    @Test
    void aDeletedExperimentAndADeletedRunAreNamed() {
        Path folder = directory.resolve("sft");
        environment.put("MLFLOW_EXPERIMENT_NAME", "mine");
        server.experiment("5", "mine");
        server.kept("5").stage = "deleted";
        try (Logged logged = new Logged()) {
            tracked(folder, run -> {
                TrackedTraining.await(() -> !logged.warnings().isEmpty());
                assertThat(logged.warnings().get(0))
                        .contains("experiment \"mine\" is deleted there; restore it with mlflow experiments restore"
                                + " --experiment-id 5, or give another MLFLOW_EXPERIMENT_NAME");
                server.kept("5").stage = "active";
                TrackedTraining.await(() -> server.runs.size() == 1);
            });
        }
        server.onlyRun().stage = "deleted";
        try (Logged logged = new Logged()) {
            tracked(folder, run -> {
                TrackedTraining.await(() -> !logged.warnings().isEmpty());
            });
            assertThat(logged.warnings().get(0))
                    .contains("run " + server.id(server.onlyRun()) + " is deleted there; restore it with mlflow runs")
                    .contains("or remove " + folder.resolve("tracking/mlflow.json")
                            + " to send the run again as a new one");
        }
    }

    @Test
    void aServerWithoutArtifactsGetsTheRest() {
        server.takesNoArtifacts();
        try (Logged logged = new Logged()) {
            tracked(directory.resolve("sft"), run -> {
                TrackedTraining.train(run, 1, 2);
                run.finish(Map.of());
            });
            assertThat(logged.warnings()).singleElement().asString().contains("start it with --serve-artifacts");
        }
        assertThat(server.onlyRun().status).isEqualTo("FINISHED");
        assertThat(server.onlyRun().artifacts).isEmpty();
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldOf() throws IOException {
        Path folder = directory.resolve("sft");
        try (Logged logged = new Logged()) {
            TrackedTraining.open(folder).close();
            Files.writeString(folder.resolve("tracking"), "a file in the folder's place");
            tracked(folder, run -> {
                TrackedTraining.await(() -> !logged.warnings().isEmpty());
                TrackedTraining.train(run, 1, 2);
            });
            assertThat(logged.warnings().get(0)).contains("cannot write " + folder.resolve("tracking/mlflow.json"));
        }
    }

    @Test
    void credentialsGoWithEveryRequest() {
        environment.put("MLFLOW_TRACKING_TOKEN", "secret");
        tracked(directory.resolve("sft"), run -> {
            run.finish(Map.of());
        });
        assertThat(server.requests).anyMatch(request -> request.startsWith("PUT "));
        assertThat(server.authorizations).isNotEmpty().allMatch("Bearer secret"::equals);
    }

    @Test
    void aTornLastLineIsNotSent() throws IOException {
        Path folder = directory.resolve("sft");
        tracked(folder, run -> {
            TrackedTraining.train(run, 1, 2);
            Files.writeString(folder.resolve("metrics.jsonl"), "{\"step\":3,\"loss\":0.", StandardOpenOption.APPEND);
        });
        assertThat(server.onlyRun().history("loss")).containsOnlyKeys(steps(2));
    }

    @Test
    void aFailedRunSaysWhy() {
        Tracking tracking = new Tracking(environment, TrackedTraining.PERIOD);
        try (tracking) {
            tracking.begin(Set.of(Tracker.MLFLOW));
            TrackedTraining.open(directory.resolve("sft")).close();
            RunDirectory.failed("the loss is NaN");
        }
        assertThat(server.onlyRun().status).isEqualTo("FAILED");
        assertThat(server.onlyRun().tags).containsEntry("prpf.failure", "the loss is NaN");
    }
}
