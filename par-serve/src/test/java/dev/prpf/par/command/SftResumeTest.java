package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.command.SynthCommand;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import picocli.CommandLine;

/** Interrupted trainings of {@code reasoner sft}, and runs that cannot be resumed. */
@Tag("slow")
class SftResumeTest extends SftCommandRuns {
    /** Main class of the killed process. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) {
            System.exit(SmallWorld.execute(arguments));
        }
    }

    @Test
    void aProcessKilledOnceGivesTheLinesOfAnUndisturbedOne() throws IOException, InterruptedException {
        assertKillsChangeNothing(1);
    }

    /** The smaller test is {@link #aProcessKilledOnceGivesTheLinesOfAnUndisturbedOne}. */
    @Test
    @Tag("nightly")
    void aProcessKilledThreeTimesGivesTheLinesOfAnUndisturbedOne() throws IOException, InterruptedException {
        assertKillsChangeNothing(3);
    }

    private static void assertKillsChangeNothing(int kills) throws IOException, InterruptedException {
        String whole = "plain";
        String killed = "killed-" + kills;
        List<String> arguments = arguments(killed);

        for (int lines : killPoints(kills, metrics(whole).size())) {
            kill(arguments, killed, lines);
        }
        SmallWorld.run(0, arguments);

        assertThat(metrics(killed)).isEqualTo(metrics(whole));
        assertThat(folder.resolve(killed + "/samples.jsonl"))
                .hasSameTextualContentAs(folder.resolve(whole + "/samples.jsonl"));
        assertThat(folder.resolve(killed + "/model/model.safetensors"))
                .hasSameBinaryContentAs(folder.resolve(whole + "/model/model.safetensors"));
    }

    /** Returns points of a training, drawn again in every run of this test; {@code -Dprpf.kill-seed} repeats those of a printed seed. */
    private static int[] killPoints(int kills, int lines) {
        long seed = Long.getLong("prpf.kill-seed", System.nanoTime());
        int[] points = new Random(seed)
                .ints(1, lines * 4 / 5 + 1)
                .distinct()
                .limit(kills)
                .sorted()
                .toArray();
        System.err.println("kill seed " + seed + ": after " + Arrays.toString(points) + " of " + lines + " lines");
        return points;
    }

    /** Starts the command in its own process and ends it with SIGKILL after this many lines of metrics. */
    private static void kill(List<String> arguments, String run, int lines) throws IOException, InterruptedException {
        Path log = folder.resolve(run + ".log");
        Process process = started(arguments, log);
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
            while (metrics(run).size() < lines && process.isAlive()) {
                assertThat(System.nanoTime()).as("see " + log).isLessThan(deadline);
                Thread.sleep(5);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(process.exitValue()).as("killed, not ended: see " + log).isEqualTo(137);
    }

    private static Process started(List<String> arguments, Path log) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dai.djl.offline=true",
                "-Dai.djl.pytorch.num_threads=1",
                Victim.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** Simulates a full disk by a limit of the file size: the kernel refuses the rest of a slice. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void diskThatFillsInsideASliceLeavesTheCheckpointBefore() throws IOException, InterruptedException {
        Path checkpoints = folder.resolve("full/checkpoints");
        Path log = folder.resolve("full.log");
        Process process = started(arguments("full", "--set", "training.epochs=500"), log);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (process.isAlive() && !Files.exists(checkpoints.resolve("latest")) && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
        int limit = 400_003; // inside the optimizer's moments of the embedding, and inside a value
        new ProcessBuilder("prlimit", "--pid=" + process.pid(), "--fsize=" + limit)
                .start()
                .waitFor();
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(ExitCode.UNAVAILABLE.status());
        assertThat(log)
                .content()
                .contains("cannot write " + checkpoints)
                .contains(
                        "optimizer.safetensors: File too large; check the path, its permissions and the free disk space");
        Path before = Objects.requireNonNull(new CheckpointStore(checkpoints, 2).latest())
                .directory();
        assertThat(Files.size(before.resolve("optimizer.safetensors"))).isGreaterThan(limit);
        try (DecoderWeights weights = HuggingFaceDirectory.open(before).weights(Precision.FP32)) {
            assertThat(weights.arrays()).isNotEmpty();
        }
    }

    @Test
    void checkpointCutInsideASliceIsRefused() throws IOException {
        String[] once = {"--set", "training.epochs=1", "--set", "training.checkpoint-steps=100"};
        SmallWorld.run(0, arguments("cut", once));
        Path run = folder.resolve("cut");
        Path checkpoint = Objects.requireNonNull(new CheckpointStore(run.resolve("checkpoints"), 2).latest())
                .directory();
        Path weights = checkpoint.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, Arrays.copyOf(bytes, bytes.length - 50_001));
        Files.delete(run.resolve("model/model.safetensors"));
        String json = Files.readString(run.resolve("run.json"));
        Files.writeString(run.resolve("run.json"), json.replace("\"state\" : \"finished\"", "\"state\" : \"stopped\""));

        assertThat(SmallWorld.run(65, arguments("cut", once)))
                .isEqualToIgnoringNewLines(checkpoint + ": file model.safetensors differs from its sum in"
                        + " manifest.json, and no older checkpoint is intact; restore it from a copy, or remove "
                        + run.resolve("checkpoints") + " to train from the beginning");
        assertThat(SmallWorld.run(
                        65, List.of("generate", "--reasoner", checkpoint.toString(), "--ids", "5", "--max-new", "1")))
                .contains(weights + ": its tensors end at byte " + bytes.length + " and the file at "
                        + (bytes.length - 50_001) + "; it is cut off");
    }

    @Test
    void adaptersOfAnotherBaseAreNotResumed() throws IOException {
        String[] lora = {"--set", "training.lora={rank: 2, alpha: 4, targets: [q_proj]}", "--set", "training.epochs=1"};
        SmallWorld.run(0, arguments("adapters", lora));
        Path other = changed("other-base", "config.json", "\"rope_theta\" : [0-9.E]+", "\"rope_theta\" : 20000.0");
        List<String> arguments = arguments("adapters", lora);
        arguments.set(arguments.indexOf(model.toString()), other.toString());

        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments)).contains("model content has changed");
    }

    @Test
    void aSignalWhileScreenshotsAreReadLeavesWith75() throws Exception {
        Path shown = folder.resolve("shown");
        assertThat(new CommandLine(new SynthCommand())
                        .execute("--out", shown.toString(), "--count", "24", "--multimodal-share", "1"))
                .isZero();
        Path store = folder.resolve("signalled-store");
        List<String> arguments = arguments("signalled", "--images", shown.toString(), "--store", store.toString());
        arguments.set(
                arguments.indexOf(data.toString()),
                shown.resolve("benchmark_zh.json").toString());
        Path log = folder.resolve("signalled.log");
        Process process = started(arguments, log);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (process.isAlive() && !Files.exists(store) && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
        assertThat(process.isAlive()).as("still reading").isTrue();
        process.destroy(); // SIGTERM
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(75);
        assertThat(log).content().contains("stopped by a signal while the samples were encoded; " + store + " keeps");
    }

    @Test
    void anotherConfigurationInTheSameRunIsRefused() {
        String message = SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments("plain", "--set", "training.epochs=1"));

        assertThat(message).contains("another configuration");
    }

    @Test
    void aRunOverImagesThatWereChangedDoesNotGoOn() throws IOException {
        JsonNode records = new ObjectMapper().readTree(data.toFile());
        ((ObjectNode) records.get(0).path("reference_information"))
                .putArray("trace")
                .addObject()
                .put("source", "picture")
                .put("picture", "screen.png");
        Path changing = Files.writeString(folder.resolve("changing.json"), records.toString());
        BufferedImage screen = new BufferedImage(20, 40, BufferedImage.TYPE_INT_RGB);
        Path image = folder.resolve("screen.png");
        ImageIO.write(screen, "png", image.toFile());
        List<String> arguments = arguments("changing", "--images", folder.toString(), "--set", "training.epochs=1");
        arguments.set(arguments.indexOf(data.toString()), changing.toString());
        SmallWorld.run(0, arguments);
        SmallWorld.run(0, arguments);
        screen.setRGB(3, 3, 0xFFFFFF);
        ImageIO.write(screen, "png", image.toFile());
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments)).contains("images content has changed");
    }
}
