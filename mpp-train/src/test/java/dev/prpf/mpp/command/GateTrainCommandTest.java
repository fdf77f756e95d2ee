package dev.prpf.mpp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.mpp.training.MppRun;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code gate train} in scripts: rejected input, stop and resume, folds and splits. */
@Tag("slow")
class GateTrainCommandTest extends GateCommandRuns {
    @Test
    void eachSampleIsPerceivedByTheFoldThatDidNotSeeIt() throws IOException {
        Path run = directory.resolve("folds");
        Path data = data("folds.json", 36, true);
        String[] train = train(data, run, "--folds", "3", "--set", "training.epochs=2");
        assertThat(run(train)).as(message).isZero();
        assertThat(output().fieldNames()).toIterable().containsExactly("run", "folds", "samples");
        assertThat(output().get("folds").asInt()).isEqualTo(3);
        String sum = MppRun.of(run).sha256();

        List<Sample> samples = SampleReader.readAll(data);
        FoldPlan plan = new MppRun.Folds(run).folds();
        MppConfig config = new MppRun.Folds(run).fold(0).config();
        ScenarioCatalog catalog = ScenarioCatalogReader.shipped();
        List<Perception> together;
        try (SampleEncoders encoders = encoders(config);
                Perceiver perceiver = MppRun.of(run).perceiverForTraining(encoders, catalog)) {
            assertThat(perceiver.id()).startsWith("gate of 3 folds ");
            together = perceiver.perceive(samples);
            assertThat(perceiver.perceive(List.of())).isEmpty();
        }
        for (int fold = 0; fold < 3; fold++) {
            MppRun.Single own = new MppRun.Folds(run).fold(fold);
            Set<String> seen = new HashSet<>();
            own.split().entries().forEach(entry -> seen.add(entry.id()));
            assertThat(seen).hasSize(24);
            assertThat(CatalogFiles.in(own.path()).functions()).exists();
            try (SampleEncoders encoders = encoders(config);
                    Perceiver perceiver = own.perceiver(encoders, catalog)) {
                List<Perception> alone = perceiver.perceive(samples);
                for (int i = 0; i < samples.size(); i++) {
                    if (plan.foldOf(samples.get(i)) == fold) {
                        assertThat(seen).doesNotContain(samples.get(i).id());
                        assertThat(together.get(i).pTrigger())
                                .isCloseTo(alone.get(i).pTrigger(), within(1e-6));
                    }
                }
            }
        }
        assertThat(run(train)).as("a finished training is done").isZero();
        assertThat(MppRun.of(run).sha256()).isEqualTo(sum);
        assertThatThrownBy(() -> MppRun.trained(run)).hasMessageContaining("holds the perceivers of folds");
    }

    private static SampleEncoders encoders(MppConfig config) {
        return new SampleEncoders(config.encoder().settings(directory.resolve("store"), null), SampleEncoder::open);
    }

    @Test
    void foldsGoAlone() throws IOException {
        Path data = data("alone.json", 36, true);
        Path run = directory.resolve("alone");
        assertThat(run(train(data, run, "--folds", "1"))).isEqualTo(2);
        assertThat(message).isEqualTo("--folds = 1, must be at least 2");
        assertThat(run(train(data, run, "--folds", "3", "--seeds", "1,2"))).isEqualTo(2);
        assertThat(message).contains("--folds goes without --seeds and --test");
        assertThat(run(train(data, run, "--folds", "3", "--dry-run"))).isZero();
        assertThat(output().get("trainings").asInt()).isEqualTo(3);
        assertThat(run).doesNotExist();
    }

    @Test
    void unlabelledSamplesCannotBeTrainedOn() throws IOException {
        Path run = directory.resolve("unlabelled-run");
        assertThat(run(train(data("unlabelled-train.json", 9, false), run))).isEqualTo(65);
        assertThat(message).contains("unlabelled-train.json: ").contains("s0").contains("without answers");
        assertThat(run(train(
                        data("labelled.json", 9, true),
                        run,
                        "--test",
                        data("unlabelled-test.json", "t", 3, false).toString())))
                .isEqualTo(65);
        assertThat(message).contains("unlabelled-test.json: ");
    }

    @Test
    void samplesOfOneClassAreRejectedBeforeEncoding() throws IOException {
        Path data = data("one-silent.json", 1, true);
        assertThat(run(train(data, directory.resolve("one-class"), "--dry-run")))
                .isEqualTo(65);
        assertThat(message)
                .isEqualTo(data
                        + ": holds 0 samples that want an intervention and 1 silent ones; a gate needs some of both");
    }

    @Test
    void runWithFailedEncodingCanBeResumed() throws IOException {
        Path data = data("unreadable.json", 9, true);
        String shown = "[{\"source\":\"picture\",\"picture\":\"unreadable.png\"}]";
        Files.writeString(data, Files.readString(data).replace("[\"锁屏，手机放在桌上\"]", shown));
        Files.writeString(directory.resolve("unreadable.png"), "no image");
        Path run = directory.resolve("unreadable");
        for (int time = 1; time <= 2; time++) { // the second would be refused if the first still held the run's lock
            assertThat(run(train(data, run, "--images", directory.toString()))).isEqualTo(65);
            assertThat(message).contains("unreadable.png");
            assertThat(state(run)).isEqualTo("stopped");
        }
    }

    private static String state(Path run) throws IOException {
        return JSON.readTree(run.resolve("run.json").toFile()).path("state").asText();
    }

    @Test
    void signalDuringEncodingExitsWith75AndKeepsTheStore() throws Exception {
        Path run = directory.resolve("signalled");
        Path store = directory.resolve("signalled-store");
        Path data = data("signalled.json", "讲述".repeat(200), 900, true);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx700m",
                "-cp",
                System.getProperty("java.class.path"),
                SignalledCommand.class.getName()));
        command.addAll(List.of(train(data, run)));
        command.set(command.indexOf("--store") + 1, store.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("signalled.log").toFile())
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (process.isAlive() && !Files.exists(run.resolve("run.json")) && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(process.isAlive()).as("still encoding").isTrue();
        process.destroy(); // SIGTERM
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("signalled.log")))
                .isEqualTo(75);
        assertThat(state(run)).isEqualTo("stopped");
        assertThat(directory.resolve("signalled.log"))
                .content()
                .contains("stopped by a signal while the samples were encoded; " + store + " keeps");
    }

    @Test
    void runOverChangedImagesIsNotResumed() throws IOException {
        Path images = Files.createDirectory(directory.resolve("changing"));
        BufferedImage screen = new BufferedImage(20, 40, BufferedImage.TYPE_INT_RGB);
        ImageIO.write(screen, "png", images.resolve("a.png").toFile());
        Path data = data("changing.json", 30, true);
        String shown = "[{\"source\":\"picture\",\"picture\":\"a.png\"}]";
        Files.writeString(data, Files.readString(data).replace("[\"锁屏，手机放在桌上\"]", shown));
        String[] command = train(
                data, directory.resolve("changing-run"), "--images", images.toString(), "--set", "training.epochs=1");
        assertThat(run(command)).as(message).isZero();
        assertThat(run(command)).as(message).isZero();
        screen.setRGB(3, 3, 0xFFFFFF);
        ImageIO.write(screen, "png", images.resolve("a.png").toFile());
        assertThat(run(command)).isEqualTo(78);
        assertThat(message).contains("holds a run whose images content has changed");
    }

    @Test
    void testSamplesThatAllWantTheSameAreRefusedBeforeTheyAreEncoded() throws IOException {
        Path data = data("two-classes.json", 9, true);
        Path test = data("one-silent-test.json", "t", 1, true);
        assertThat(run(train(data, directory.resolve("one-class-test"), "--test", test.toString(), "--dry-run")))
                .isEqualTo(65);
        assertThat(message).startsWith(test + ": holds 0 samples that want an intervention and 1 silent ones");
    }

    @Test
    void trainWithoutConfigurationIsRefused() {
        assertThat(run("train", "--data", "x.json")).isEqualTo(2);
        assertThat(message).contains("configs/gate.yaml");
    }

    @Test
    void aDryRunWritesNothing() throws IOException {
        Path run = directory.resolve("dry");
        assertThat(run(train(data("train-dry.json", 9, true), run, "--dry-run")))
                .as(message)
                .isZero();
        assertThat(output().get("samples").asInt()).isEqualTo(9);
        assertThat(run).doesNotExist();
    }

    @Test
    void seenTestSamplesAreRejectedBeforeAnyWork() throws IOException {
        Path data = data("train-leak.json", 60, true);
        Path run = directory.resolve("leak");
        assertThat(run(train(data, run, "--test", data.toString()))).isEqualTo(65);
        assertThat(message).contains("60 of 60 test samples have the id or the content", "[s0, s1, s2, s3, s4]");
        Path renamed = directory.resolve("renamed.json");
        Files.writeString(renamed, Files.readString(data).replace("\"id\":\"s", "\"id\":\"other"));
        assertThat(run(train(data, run, "--test", renamed.toString()))).isEqualTo(65);
        assertThat(message).contains("60 of 60 test samples", "[other0, ");
        assertThat(run).doesNotExist();
    }

    @Test
    void otherSpellingOfImageRootHidesNoSeenScreenshot() throws IOException {
        Path images = Files.createDirectory(directory.resolve("screens"));
        String screens = Files.readString(data("screens.json", 9, true))
                .replaceAll("\"trace\":\\[[^]]*\\]", "\"trace\":[{\"source\":\"picture\",\"picture\":\"a.png\"}]");
        Path data = Files.writeString(directory.resolve("screens.json"), screens);
        Path test = Files.writeString(
                directory.resolve("screens-test.json"), screens.replace("\"id\":\"s", "\"id\":\"other"));
        String[] command = train(
                data,
                directory.resolve("leak-screens"),
                "--test",
                test.toString(),
                "--dry-run",
                "--images",
                images.toString(),
                "--test-images",
                images.resolve("..").resolve("screens") + "/");
        assertThat(run(command)).as(message).isEqualTo(65);
        assertThat(message).contains("9 of 9 test samples have the id or the content");
    }

    @Test
    void theSameSampleUnderTwoIdsIsNoCalibrationSampleThatTrainingSaw() throws IOException {
        Path data = data("train-twice.json", 60, true);
        String once = Files.readString(data);
        String again = once.replace("\"id\":\"s", "\"id\":\"again");
        Files.writeString(data, once.substring(0, once.length() - 1) + "," + again.substring(1));
        Path run = directory.resolve("twice");
        assertThat(run(train(data, run, "--set", "calibration.share=0.3", "--set", "training.epochs=1")))
                .as(message)
                .isZero();
        assertThat(output().get("calibration").asInt()).isBetween(20, 60);
        Map<String, String> splits = new HashMap<>();
        for (String line : Files.readAllLines(run.resolve("split.jsonl"))) {
            JsonNode entry = JSON.readTree(line);
            splits.put(entry.get("id").asText(), entry.get("split").asText());
        }
        assertThat(splits).hasSize(120);
        assertThat(SampleReader.readAll(run.resolve("dev-samples.json")))
                .extracting(Sample::id)
                .containsExactlyInAnyOrderElementsOf(splits.keySet().stream()
                        .filter(id -> Objects.requireNonNull(splits.get(id)).equals("dev"))
                        .toList());
        for (int i = 0; i < 60; i++) {
            assertThat(splits.get("again" + i)).isEqualTo(splits.get("s" + i));
        }
        assertThat(run("sweep", "--gate", run.toString(), "--bound-ftr", "90"))
                .as(message)
                .isZero();
    }
}
