package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration.FittedCalibration;
import dev.prpf.mpp.perceive.MppModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Compares interrupted runs with an uninterrupted one: equal metrics to the last digit, equal best arrays. */
@Tag("slow")
class MppTrainingRunTest {
    @TempDir
    static Path undisturbed;

    @BeforeAll
    static void trainUndisturbed() {
        try (StopSignal never = StopSignal.install()) {
            assertThat(KillableTraining.train(undisturbed, never).done()).isTrue();
        }
    }

    private static void assertSameAsUndisturbed(Path run) throws IOException {
        assertThat(Files.readString(run.resolve("metrics.jsonl")))
                .isEqualTo(Files.readString(undisturbed.resolve("metrics.jsonl")));
        assertThat(best(run)).isEqualTo(best(undisturbed));
    }

    /** The values of the best epoch. */
    private static float[] best(Path run) throws IOException {
        String newest = Files.readString(run.resolve("best/latest")).strip();
        try (MppModel model = MppModel.read(run.resolve("best").resolve(newest), new ProbabilityCalibration.None())) {
            return model.network().parameters().values();
        }
    }

    @Test
    void stoppedByASignalAfterEachOfTheFirstSteps(@TempDir Path run) throws IOException {
        for (int stop = 1; stop <= 13; stop++) {
            try (StopSignal signal = StopSignal.install()) {
                signal.request();
                assertThatThrownBy(() -> KillableTraining.train(run, signal))
                        .isInstanceOfSatisfying(PrpfException.class, e -> assertThat(ExitCode.of(e))
                                .isEqualTo(ExitCode.CHECKPOINTED))
                        .hasMessageContaining("after step " + stop);
            }
        }
        try (StopSignal never = StopSignal.install()) {
            KillableTraining.train(run, never);
        }
        assertSameAsUndisturbed(run);
    }

    @Test
    void killedOnce(@TempDir Path run) throws IOException, InterruptedException {
        killed(1, run);
    }

    /** The smaller test is {@link #killedOnce}. */
    @Test
    @Tag("nightly")
    void killedThreeTimes(@TempDir Path run) throws IOException, InterruptedException {
        killed(3, run);
    }

    private static void killed(int times, Path run) throws IOException, InterruptedException {
        int total = Files.readAllLines(undisturbed.resolve("metrics.jsonl")).size();
        for (int lines : killPoints(times, total)) {
            killAfter(run, lines);
        }
        try (StopSignal never = StopSignal.install()) {
            KillableTraining.train(run, never);
        }
        assertSameAsUndisturbed(run);
    }

    /** Random points of a training; {@code -Dprpf.kill-seed} reproduces those of a printed seed. */
    private static int[] killPoints(int times, int lines) {
        long seed = Long.getLong("prpf.kill-seed", System.nanoTime());
        int[] points = new Random(seed)
                .ints(1, lines * 4 / 5 + 1)
                .distinct()
                .limit(times)
                .sorted()
                .toArray();
        System.err.println("kill seed " + seed + ": after " + Arrays.toString(points) + " of " + lines + " lines");
        return points;
    }

    private static void killAfter(Path run, int lines) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx400m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KillableTraining.class.getName(),
                        run.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Path metrics = run.resolve("metrics.jsonl");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (process.isAlive() && linesOf(metrics) < lines && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
        assertThat(process.isAlive()).as("still training when it is killed").isTrue();
        process.destroyForcibly().waitFor();
        assertThat(process.exitValue()).isEqualTo(137);
    }

    private static int linesOf(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    @Test
    void aDamagedCheckpointIsReplacedByTheOneBefore(@TempDir Path run) throws IOException {
        try (StopSignal signal = StopSignal.install()) {
            signal.request();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> KillableTraining.train(run, signal)).isInstanceOf(PrpfException.class);
            }
        }
        Path arrays = run.resolve("checkpoints/step_2/mpp.zip");
        byte[] bytes = Files.readAllBytes(arrays);
        bytes[bytes.length - 1] ^= 1;
        Files.write(arrays, bytes);
        try (StopSignal never = StopSignal.install()) {
            KillableTraining.train(run, never);
        }
        assertSameAsUndisturbed(run);
    }

    @Test
    void theBestEpochIsWhatLoads() throws IOException {
        List<String> lines = Files.readAllLines(undisturbed.resolve("metrics.jsonl"));
        String best = lines.stream()
                .filter(line -> line.contains("\"best\":true"))
                .reduce((a, b) -> b)
                .orElseThrow();
        String step =
                Files.readString(undisturbed.resolve("best/latest")).strip().substring("step_".length());
        assertThat(best).contains("\"step\":" + step + ",");
        try (MppModel model = new MppRun.Single(undisturbed).model()) {
            assertThat(model.description().scenarios()).hasSize(5);
        }
    }

    @Test
    void aRunWithoutPerceiverSaysHowToMakeOne(@TempDir Path run) {
        assertThatThrownBy(() -> new MppRun.Single(run).model())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("gate train --run-dir");
    }

    private static void assertBadData(Path checkpointOrRun, String... parts) {
        assertThatThrownBy(() -> new MppRun.Single(checkpointOrRun).model())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    /** Copies the best checkpoint with a foreign file and a new manifest. */
    private static Path withFile(Path directory, String name, byte[] content) throws IOException {
        String newest = Files.readString(undisturbed.resolve("best/latest")).strip();
        return new CheckpointStore(directory, 1).save(1, to -> {
            for (String file : List.of("mpp.json", "mpp.zip")) {
                Path from = undisturbed.resolve("best").resolve(newest).resolve(file);
                Files.write(to.resolve(file), file.equals(name) ? content : Files.readAllBytes(from));
            }
        });
    }

    @Test
    void corruptForeignOrOlderCheckpointIsBadData(@TempDir Path other) throws IOException {
        String newest = Files.readString(undisturbed.resolve("best/latest")).strip();
        String json =
                Files.readString(undisturbed.resolve("best").resolve(newest).resolve("mpp.json"));
        assertThat(json).contains("\"format\" : 5", "\"dl4j\" : \"1.0.0-M2.1\"", "\"maxScreenshots\" : 10");

        Path corrupt = withFile(other.resolve("corrupt"), "", new byte[0]);
        Files.writeString(corrupt.resolve("mpp.zip"), "x");
        assertBadData(corrupt, "is not a complete checkpoint", "mpp.zip differs from its sum");

        byte[] foreign = "{\"model_type\":\"bert\"}".getBytes(StandardCharsets.UTF_8);
        assertBadData(withFile(other.resolve("foreign"), "mpp.json", foreign), "does not describe a perceiver");
        assertBadData(
                withFile(other.resolve("text"), "mpp.json", "no json".getBytes(StandardCharsets.UTF_8)),
                "cannot be read");

        String older = json.replaceFirst("\"format\" : 5", "\"format\" : 4");
        assertBadData(
                withFile(other.resolve("older"), "mpp.json", older.getBytes(StandardCharsets.UTF_8)),
                "format = 4, this version reads 5: an older version's own engine wrote it; train again");
        String newer = json.replaceFirst("\"format\" : 5", "\"format\" : 6");
        assertBadData(
                withFile(other.resolve("newer"), "mpp.json", newer.getBytes(StandardCharsets.UTF_8)),
                "format = 6",
                "a newer version wrote it");
        String library = json.replaceFirst("1.0.0-M2.1", "1.0.0-M3");
        assertBadData(
                withFile(other.resolve("library"), "mpp.json", library.getBytes(StandardCharsets.UTF_8)),
                "dl4j = 1.0.0-M3, this version reads model files of DL4J 1.0.0-M2.1; train again");

        String wider = json.replaceFirst("\"dimension\" : 32", "\"dimension\" : 64");
        assertBadData(
                withFile(other.resolve("wider"), "mpp.json", wider.getBytes(StandardCharsets.UTF_8)),
                "does not match its description");
        assertBadData(
                withFile(other.resolve("arrays"), "mpp.zip", "no arrays".getBytes(StandardCharsets.UTF_8)),
                "mpp.zip: cannot be read as a model file");
    }

    @Test
    void runWithOnlyDamagedBestsIsBadData(@TempDir Path run) throws IOException {
        Path best = withFile(run.resolve("best"), "", new byte[0]);
        Files.delete(best.resolve("mpp.zip"));
        assertBadData(run, "every checkpoint in it is damaged");
    }

    /** An older version wrote the newest checkpoint: nothing is trained, and the message names the command to train again. */
    @Test
    void runOfTheOldEngineNamesTheCommandToTrainAgain(@TempDir Path run) throws IOException {
        copyTree(undisturbed, run);
        for (String folder : List.of("best", "checkpoints")) {
            CheckpointStore store = new CheckpointStore(run.resolve(folder), 2);
            Path newest = Objects.requireNonNull(store.latest()).directory();
            String json = Files.readString(newest.resolve("mpp.json")).replaceFirst("\"format\" : 5", "\"format\" : 4");
            store.save(9999, to -> Files.writeString(to.resolve("mpp.json"), json));
        }
        String again = "move " + run + " away and train again with `prpf gate train --config made.yaml`";
        assertBadData(run, "format = 4, this version reads 5", again);
        try (StopSignal never = StopSignal.install()) {
            assertThatThrownBy(() -> KillableTraining.train(run, never))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(again);
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(Objects.requireNonNull(target.getParent()));
                Files.copy(file, target);
            }
        }
    }

    /** A kill between the files of a checkpoint leaves a folder without a manifest. */
    @Test
    void incompleteCheckpointIsNotResumed(@TempDir Path run) throws IOException {
        try (StopSignal signal = StopSignal.install()) {
            signal.request();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> KillableTraining.train(run, signal)).isInstanceOf(PrpfException.class);
            }
        }
        Path whole = run.resolve("checkpoints/step_2");
        for (String name : List.of(".partial_3", "step_3")) { // before it was moved into place, and a copy by hand
            Path cut = Files.createDirectories(run.resolve("checkpoints").resolve(name));
            byte[] zip = Files.readAllBytes(whole.resolve("mpp.zip"));
            Files.write(cut.resolve("mpp.zip"), Arrays.copyOf(zip, zip.length / 2));
        }
        try (StopSignal never = StopSignal.install()) {
            KillableTraining.train(run, never);
        }
        assertSameAsUndisturbed(run);
    }

    /** The weights become NaN in the second epoch: the next loss ends training, and the first epoch's best stays. */
    @Test
    void nonFiniteLossEndsTrainingAndKeepsTheBest(@TempDir Path run) throws IOException {
        try (StopSignal never = StopSignal.install()) {
            assertThatThrownBy(() -> KillableTraining.diverge(run, never))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                    .hasMessageContainingAll("batch loss = NaN", "lower optimizer.learning-rate");
        }
        List<String> ends = Files.readAllLines(run.resolve("metrics.jsonl")).stream()
                .filter(line -> line.contains("\"best\":true"))
                .toList();
        assertThat(ends).hasSize(1);
        assertThat(Files.readString(run.resolve("metrics.jsonl"))).doesNotContain("NaN");
        for (float value : best(run)) {
            assertThat(value).isFinite();
        }
    }

    /** A run with two bests, the newer calibrated. */
    private static Path calibrated(Path run) throws IOException {
        CheckpointStore bests = new CheckpointStore(run.resolve("best"), 2);
        for (int step : new int[] {1, 2}) {
            Path from = withFile(run.resolve("made" + step), "", new byte[0]);
            bests.save(step, to -> {
                Files.copy(from.resolve("mpp.zip"), to.resolve("mpp.zip"));
                Files.writeString(
                        to.resolve("mpp.json"), Files.readString(from.resolve("mpp.json")) + "\n".repeat(step));
            });
        }
        Files.writeString(run.resolve("config.resolved.yaml"), "calibration:\n  method: temperature\n");
        Path newer = run.resolve("best/step_2");
        new MppRun.Single(run)
                .write(new FittedCalibration(new ProbabilityCalibration.Temperature(2), MppModel.weightsSha256(newer)));
        return newer;
    }

    @Test
    void olderBestDoesNotInheritCalibrationAndThreshold(@TempDir Path run) throws IOException {
        Path newer = calibrated(run);
        for (Path given : List.of(run, newer)) {
            try (MppModel model = new MppRun.Single(given).model()) {
                assertThat(model.calibration()).as("%s", given).isEqualTo(new ProbabilityCalibration.Temperature(2));
            }
        }
        assertBadData(run.resolve("best/step_1"), "calibration.json: belongs to weights", "step_1 holds");
        Files.writeString(newer.resolve("mpp.zip"), "x");
        assertBadData(
                run, "calibration.json: belongs to weights", "step_1 holds", "risk control are invalid for other");
        assertThatThrownBy(() -> new MppRun.Single(run).uncalibrated(2)).hasMessageContaining("it was the best epoch");
    }

    @Test
    void aCalibrationThatTheConfigurationNamesAndTheRunLacksIsBadData(@TempDir Path run) throws IOException {
        Path newer = calibrated(run);
        Files.delete(run.resolve("calibration.json"));
        for (Path given : List.of(run, newer)) {
            assertBadData(given, "calibration.json: is missing", "calibration.method: temperature");
        }
        Files.writeString(run.resolve("config.resolved.yaml"), "calibration:\n  method: none\n");
        try (MppModel model = new MppRun.Single(run).model()) {
            assertThat(model.calibration()).isEqualTo(new ProbabilityCalibration.None());
        }
    }

    @Test
    void aCheckpointOutsideOfItsRunIsReadWithoutCalibrationAndSaysSo(@TempDir Path folder) throws IOException {
        Path inside = calibrated(folder.resolve("run"));
        // a checkpoint's run is the folder two levels up, and the machine's temporary folder may hold one
        Path outside = Files.createDirectories(folder.resolve("elsewhere/copied"));
        try (Stream<Path> files = Files.list(inside)) {
            for (Path file : files.toList()) {
                Files.copy(file, outside.resolve(file.getFileName()));
            }
        }
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        ch.qos.logback.classic.Logger logger =
                (ch.qos.logback.classic.Logger) LoggerFactory.getLogger("dev.prpf.mpp.training.RunCalibration");
        logger.addAppender(log);
        try (MppModel model = new MppRun.Single(outside).model()) {
            assertThat(model.calibration()).isEqualTo(new ProbabilityCalibration.None());
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(outside
                        + " is not in a run, so p_trigger is not calibrated: a calibration or a threshold of its former"
                        + " run does not apply");
    }

    @Test
    void nonFiniteFeatureIsBadDataWithItsIndex() {
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 4, 3).get(0);
        made.steps()[0][7] = Float.NaN;
        try (MppModel model = new MppRun.Single(undisturbed).model()) {
            assertThatThrownBy(() -> model.perceive(List.of(made)))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining("sample s0 has NaN at index 7 of step vector 0");
        }
    }
}
