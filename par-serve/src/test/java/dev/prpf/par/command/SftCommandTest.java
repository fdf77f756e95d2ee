package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.command.SynthCommand;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.training.ParSftConfig;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("slow")
class SftCommandTest {
    @TempDir
    private static Path folder;

    private static Path data;
    private static Path model;
    /** Result of the run "plain", which several tests read. */
    private static JsonNode plain;

    @BeforeAll
    static void makeDataAndModel() throws IOException {
        SmallWorld world = SmallWorld.in(folder);
        data = world.data();
        model = world.model();
        plain = new ObjectMapper().readTree(SmallWorld.run(0, arguments("plain")));
    }

    /** Main class of the killed process. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) {
            System.exit(SmallWorld.execute(arguments));
        }
    }

    private static List<String> arguments(String run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "sft",
                "--config",
                SmallWorld.CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--reasoner",
                model.toString(),
                "--data",
                data.toString(),
                "--run-dir",
                folder.resolve(run).toString(),
                "--json",
                "--set",
                "encoder.store=" + folder.resolve("store"),
                "--set",
                "examples.max-length=1024",
                "--set",
                "training.batch-size=2",
                "--set",
                "training.dev-share=0.2",
                "--set",
                "training.epochs=2",
                "--set",
                "training.logging-steps=1",
                "--set",
                "training.checkpoint-steps=3"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static List<String> metrics(String run) throws IOException {
        Path file = folder.resolve(run).resolve("metrics.jsonl");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private static Path changed(String name, String file, String what, String with) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        for (String one : List.of("config.json", "generation_config.json", "tokenizer.json", "model.safetensors")) {
            Files.copy(model.resolve(one), copy.resolve(one));
        }
        String text = Files.readString(copy.resolve(file));
        assertThat(text).containsPattern(what);
        Files.writeString(copy.resolve(file), text.replaceAll(what, with));
        return copy;
    }

    private static String refused(String run, Path other) {
        List<String> arguments = arguments(run);
        arguments.set(arguments.indexOf(model.toString()), other.toString());
        String said = SmallWorld.run(65, arguments);
        assertThat(folder.resolve(run)).doesNotExist();
        return said;
    }

    @Test
    void aSingleStageModelIsTrainedOnTheWholePoolWithoutAPerceiver() throws IOException {
        String[] single = {
            "--set",
            "prompt.reasoning=think-rec-function",
            "--set",
            "examples.shortlist=null",
            "--set",
            "training.epochs=1"
        };
        JsonNode summary = new ObjectMapper().readTree(SmallWorld.run(0, arguments("single", single)));
        assertThat(summary.path("out_of_pool").asInt()).isZero();
        assertThat(summary.path("steps").asInt()).isPositive();
        PromptProvenance learned =
                PromptProvenance.read(folder.resolve("single").resolve("model"));
        assertThat(learned.prompt().reasoning()).isEqualTo(ReasoningMode.THINK_REC_FUNCTION);
        List<String> seen = new ArrayList<>(arguments("seen", single));
        seen.addAll(List.of("--gate", folder.resolve("nowhere").toString()));
        assertThat(SmallWorld.run(2, seen)).contains("--gate", "has no effect: with shortlist = null");
    }

    @Test
    void modelThatCannotReadOurPrompts_isRefusedBeforeTraining() throws IOException {
        assertThat(refused("llama", changed("no-chatml", "tokenizer.json", "<\\|im_start\\|>", "<|start_header_id|>")))
                .contains("tokenizer.json: has no token <|im_start|>; it has [<|endoftext|>, <|start_header_id|>");
        Path unknown = changed("no-template", "tokenizer.json", "<\\|im_start\\|>", "<|im_start|>");
        Files.writeString(unknown.resolve("chat_template.jinja"), "{{ messages }}");
        assertThat(refused("unknown", unknown))
                .contains(
                        unknown.resolve("chat_template.jinja") + ": this chat template is not known, its sha256 = ",
                        "a model that is trained here may have ours in its place");
        assertThat(refused(
                        "endless",
                        changed(
                                "other-end",
                                "generation_config.json",
                                "\"eos_token_id\" ?: ?(\\[[^]]*]|\\d+)",
                                "\"eos_token_id\": 3")))
                .contains("its responses end at the tokens [3], ours end at <|im_end|>", "set \"eos_token_id\"");
    }

    @Test
    void trainsWritesAModelAndTellsWhatCameOut() throws IOException {
        assertThat(plain.fieldNames())
                .toIterable()
                .containsExactly(
                        "model",
                        "steps",
                        "examples",
                        "dropped",
                        "out_of_pool",
                        "longest",
                        "tokens",
                        "loss",
                        "dev_loss",
                        "dev_token_accuracy",
                        "best_step",
                        "dev",
                        "seconds",
                        "memory");
        assertThat(plain.path("memory").fieldNames())
                .toIterable()
                .containsExactly(
                        "estimated_peak_mb",
                        "resident_mb",
                        "weights_mb",
                        "learning_mb",
                        "reference_mb",
                        "update_mb",
                        "rollouts_mb",
                        "terms_mb",
                        "peak_mb");
        assertThat(plain.path("dev").path("n").asInt()).isEqualTo(5);
        assertThat(Files.readAllLines(folder.resolve("plain/samples.jsonl")))
                .as("four prompts after each epoch")
                .hasSize(8);
        Path trained = Path.of(plain.path("model").asText());
        assertThat(HuggingFaceDirectory.open(trained).config())
                .isEqualTo(HuggingFaceDirectory.open(model).config());
        assertThat(trained.resolve("tokenizer.json")).hasSameBinaryContentAs(model.resolve("tokenizer.json"));
        assertThat(PromptProvenance.read(trained).enableThinking()).isFalse();
        assertThat(metrics("plain").get(0)).contains("\"loss\"");

        assertThat(new ObjectMapper()
                        .readTree(SmallWorld.run(0, arguments("plain")))
                        .path("dev_loss"))
                .as("a finished run says the same again")
                .isEqualTo(plain.path("dev_loss"));
    }

    @Test
    void aProcessKilledOnceGivesTheLinesOfAnUndisturbedOne() throws IOException, InterruptedException {
        assertKillsChangeNothing(1);
    }

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

        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments)).contains("model_sha256");
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
    void aDryRunBuildsTheExamplesAndTrainsNothing() throws IOException {
        JsonNode result = new ObjectMapper().readTree(SmallWorld.run(0, arguments("dry", "--dry-run")));

        assertThat(result.path("examples").asInt()).isEqualTo(24);
        assertThat(result.path("mean_response").asDouble()).isPositive();
        assertThat(result.path("memory").path("estimated_peak_mb").asLong())
                .isGreaterThan(result.path("memory").path("resident_mb").asLong());
        assertThat(folder.resolve("dry")).doesNotExist();
    }

    @Test
    void whatDoesNotFitIntoMemoryIsRefusedBeforeARunBegins() {
        List<String> arguments = arguments(
                "huge",
                "--set",
                "training.batch-size=24",
                "--set",
                "training.dev-share=0",
                "--set",
                "training.selection=last",
                "--set",
                "training.samples=0");
        arguments.set(arguments.indexOf(model.toString()), hugeModel().toString());

        assertThat(SmallWorld.run(ExitCode.OUT_OF_MEMORY.status(), arguments))
                .contains(
                        "the training needs about", "GB are free; lower training.batch-size", "checkpointing to true");
        assertThat(folder.resolve("huge")).doesNotExist();
    }

    /** Its weights are never read. */
    private static Path hugeModel() {
        Path huge = folder.resolve("huge-base");
        try {
            Files.createDirectory(huge);
            for (String name : List.of("tokenizer.json", "tokenizer_config.json", "generation_config.json")) {
                Files.copy(model.resolve(name), huge.resolve(name));
            }
            Files.writeString(
                    huge.resolve("config.json"),
                    Files.readString(model.resolve("config.json"))
                            .replace("\"num_hidden_layers\" : 2", "\"num_hidden_layers\" : 100")
                            .replace("\"intermediate_size\" : 48", "\"intermediate_size\" : 4800000"));
            return huge;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void nothingButAModelIsReplacedByTheResult() throws IOException {
        Path notes = Files.createDirectory(folder.resolve("notes"));
        Files.writeString(notes.resolve("thesis.txt"), "years of work");
        Path nested = Files.createDirectory(folder.resolve("nested"));
        Files.createDirectory(nested.resolve("onnx"));
        Files.writeString(nested.resolve("config.json"), "{}");
        Path beside = folder.resolve("beside");
        Files.createDirectory(folder.resolve("beside-adapter"));
        Files.writeString(folder.resolve("beside-adapter/thesis.txt"), "years of work");
        String lora = "training.lora={rank: 2, alpha: 4, targets: [q_proj]}";

        Path mixed = Files.createDirectory(folder.resolve("mixed"));
        Files.writeString(mixed.resolve("config.json"), "{}");
        Files.writeString(mixed.resolve("my-labels.jsonl"), "years of work");
        Path checkpoints = folder.resolve("out/checkpoints");

        assertThat(refusedOut("out", notes)).contains("--out " + notes, "would be replaced", "thesis.txt");
        assertThat(refusedOut("out", mixed))
                .contains("--out " + mixed, "my-labels.jsonl", "not part of a trained model");
        assertThat(refusedOut("out-adapter", folder.resolve("out"), "--set", lora))
                .contains("--out " + folder.resolve("out"), "would replace the run in");
        assertThat(refusedOut("out", checkpoints)).contains("would replace checkpoints of the run in");
        assertThat(refusedOut("out", nested)).contains("--out " + nested, "onnx");
        assertThat(refusedOut("out", beside, "--set", lora)).contains("beside-adapter", "thesis.txt");
        assertThat(refusedOut("out", notes.resolve("thesis.txt"))).contains("is a file");
        assertThat(refusedOut("out", model)).contains("is --reasoner");
        assertThat(refusedOut("out", folder.resolve("out"))).contains("would replace the run in");
        assertThat(refusedOut("out/run", folder.resolve("out"))).contains("would replace the run in");
        assertThat(notes.resolve("thesis.txt")).hasContent("years of work");
        assertThat(model.resolve("model.safetensors")).exists();
        assertThat(folder.resolve("out")).doesNotExist();
    }

    private static String refusedOut(String run, Path out, String... more) {
        List<String> arguments = arguments(run, more);
        arguments.addAll(List.of("--out", out.toString(), "--dry-run"));
        return SmallWorld.run(ExitCode.USAGE.status(), arguments);
    }

    @Test
    void aModelOfAnEarlierTrainingIsReplaced() throws IOException {
        Path out = folder.resolve("elsewhere");
        Files.createDirectory(out);
        try (Stream<Path> files = Files.list(Path.of(plain.path("model").asText()))) {
            for (Path file : files.toList()) {
                Files.copy(file, out.resolve(file.getFileName()));
            }
        }
        Files.writeString(out.resolve("config.json"), "{}");

        SmallWorld.run(0, arguments("second-out", "--out", out.toString(), "--set", "training.epochs=1"));

        assertThat(HuggingFaceDirectory.open(out).config())
                .isEqualTo(HuggingFaceDirectory.open(model).config());
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
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments)).contains("images_sha256");
    }

    @Test
    void aModelWithoutATokenizerIsUnavailable() {
        List<String> arguments = arguments("none");
        arguments.set(arguments.indexOf(model.toString()), folder.toString());

        assertThat(SmallWorld.run(ExitCode.UNAVAILABLE.status(), arguments)).contains("tokenizer.json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"reasoner-sft.yaml", "reasoner-sft-prpf.yaml"})
    void shippedConfigurationsLoad(String name) {
        assertThat(StrictYaml.read(SmallWorld.CONFIGS.resolve(name), ParSftConfig.class, List.of())
                        .training()
                        .batchSize())
                .isEqualTo(16);
    }
}
