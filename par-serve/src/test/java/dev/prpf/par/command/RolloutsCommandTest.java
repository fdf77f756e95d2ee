package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.command.SynthCommand;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.RecordedServer;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.rollout.GrpoSetFiles;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PromptImageReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class RolloutsCommandTest {
    private static final Path CONFIGS = Path.of(System.getProperty("prpf.root", ".."), "configs");
    private static final int SAMPLES = 12;

    @TempDir
    private static Path folder;

    private static Path data;
    private static Path pool;
    private static Path model;

    @BeforeAll
    static void makeDataAndModel() {
        Path synth = folder.resolve("synth");
        data = synth.resolve("benchmark_zh.json");
        pool = synth.resolve("function_pool.json");
        Path base = folder.resolve("base");
        run(0, new SynthCommand(), "--out=" + synth, "--count=" + SAMPLES, "--multimodal-share=0", "--seed=4");
        run(
                0,
                new ReasonerInitCommand(),
                "--config=" + CONFIGS.resolve("reasoner-init.yaml"),
                "--text=" + data,
                "--out=" + base,
                "--set=model.hidden-size=32",
                "--set=model.intermediate-size=48",
                "--set=model.layers=1",
                "--set=model.heads=4",
                "--set=model.key-value-heads=2");
        run(
                0,
                new SftCommand(),
                "--config=" + CONFIGS.resolve("reasoner-sft.yaml"),
                "--reasoner=" + base,
                "--data=" + data,
                "--run-dir=" + folder.resolve("sft"),
                "--set=examples.max-length=900",
                "--set=training.epochs=1",
                "--set=encoder.store=" + folder.resolve("store"));
        model = folder.resolve("sft/model");
    }

    private static String run(int expectedStatus, Object command, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, at, parsed) -> {
            ResultStream.line(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        int status = line.execute(arguments);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isEqualTo(expectedStatus);
        return text;
    }

    /** Constrained, for an untrained model writes nothing else that parses; every group that disagrees is kept. */
    private static String rollOut(int expectedStatus, String run, String... more) {
        return rollOut(expectedStatus, model, run, more);
    }

    private static String rollOut(int expectedStatus, Path policy, String run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--config=" + CONFIGS.resolve("data-rollout-set.yaml"),
                "--reasoner=" + policy,
                "--run-dir=" + folder.resolve(run),
                "--set=encoder.store=" + folder.resolve("store"),
                "--set=prompts.max-length=900",
                "--set=sampling.group-size=4",
                "--set=sampling.batch-size=8",
                "--set=sampling.max-new-tokens=60",
                "--set=set.correct-from=0",
                "--set=set.correct-to=1",
                "--set=set.silent-share=0",
                "--set=set.test-share=0.2"));
        arguments.addAll(Arrays.asList(more));
        return run(expectedStatus, new RolloutsCommand(), arguments.toArray(String[]::new));
    }

    private static JsonNode ofSamples(String run, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--data=" + data, "--set=sampling.constrained=true", "--json"));
        arguments.addAll(Arrays.asList(more));
        return new ObjectMapper().readTree(rollOut(0, run, arguments.toArray(String[]::new)));
    }

    private static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    private static List<RolloutGroup> groups(String run) {
        List<RolloutGroup> groups = new ArrayList<>();
        RolloutGroup.index(folder.resolve(run).resolve("rollouts.jsonl"), groups::add)
                .close();
        return groups;
    }

    @Test
    void rolloutsAndTheSetAndWhatCameOut() throws IOException {
        JsonNode result = ofSamples("plain");
        assertThat(keys(result))
                .containsExactly(
                        "rollouts",
                        "prompts",
                        "dropped",
                        "out_of_pool",
                        "longest",
                        "groups",
                        "silent",
                        "responses",
                        "tokens",
                        "reward",
                        "correct",
                        "malformed",
                        "clipped",
                        "train",
                        "test",
                        "set",
                        "seconds");
        assertThat(result.get("groups").intValue()).isEqualTo(SAMPLES);
        assertThat(result.get("responses").intValue()).isEqualTo(4 * SAMPLES);
        assertThat(result.get("malformed").intValue()).isZero();
        List<RolloutGroup> groups = groups("plain");
        assertThat(groups).hasSize(SAMPLES).allSatisfy(group -> {
            assertThat(group.provenance().policy())
                    .isEqualTo(HuggingFaceDirectory.open(model).sha256());
            assertThat(group.provenance().promptHash())
                    .isEqualTo(PromptProvenance.read(model).promptHash());
            assertThat(group.provenance().sampling().constrained()).isTrue();
        });
        GrpoSetFiles set = GrpoSetFiles.read(folder.resolve("plain"), PromptImageReader.BLIND);
        assertThat(set.train()).hasSize(result.at("/set/train").intValue());
        assertThat(set.test()).hasSize(result.at("/set/test").intValue());
        assertThat(result.at("/set/groups").intValue()).isEqualTo(SAMPLES);
        assertThat(result.get("train").textValue())
                .isEqualTo(folder.resolve("plain/train.jsonl").toString());
    }

    @Test
    void setIsRebuiltFromItsRollouts_andOtherRolloutsNeedAnotherRun() throws IOException {
        JsonNode first = ofSamples("again");
        byte[] rollouts = Files.readAllBytes(folder.resolve("again/rollouts.jsonl"));
        JsonNode smaller = ofSamples("again", "--set=set.size=2");
        assertThat(smaller.at("/set/train").intValue() + smaller.at("/set/test").intValue())
                .isEqualTo(2);
        assertThat(smaller.get("reward")).isEqualTo(first.get("reward"));
        assertThat(folder.resolve("again/rollouts.jsonl")).hasBinaryContent(rollouts);
        assertThat(folder.resolve("again/set.resolved.yaml")).content().contains("size: 2");

        String message = rollOut(
                ExitCode.BAD_CONFIG.status(),
                "again",
                "--data=" + data,
                "--set=sampling.constrained=true",
                "--set=sampling.temperature=0.5");
        assertThat(message).contains("another configuration");
        message = rollOut(
                ExitCode.BAD_CONFIG.status(),
                "again",
                "--data=" + data,
                "--set=sampling.constrained=true",
                "--pool=" + pool);
        assertThat(message).contains("pool_sha256 was \"shipped\"");
    }

    @Test
    void anSftSetGivesTheSamePromptsAndItsTargetsOrTheGold() throws IOException {
        Path set = folder.resolve("sft.jsonl");
        run(
                0,
                new SftSetCommand(),
                "--config=" + CONFIGS.resolve("data-sft-set.yaml"),
                "--data=" + data,
                "--out=" + set,
                "--set=set.shortlist=5",
                "--set=encoder.store=" + folder.resolve("store"));
        // unconstrained, an untrained model's responses are malformed, all alike; the rollouts are there all the same
        String message = rollOut(65, "of-set", "--examples=" + set, "--gold=" + data);
        assertThat(message).contains("of " + SAMPLES + " rollout groups none remains");
        ofSamples("of-data");
        List<RolloutGroup> ofSet = groups("of-set");
        List<RolloutGroup> ofData = groups("of-data");
        for (int i = 0; i < SAMPLES; i++) {
            assertThat(ofSet.get(i).promptIds()).isEqualTo(ofData.get(i).promptIds());
            assertThat(ofSet.get(i).intervention()).isEqualTo(ofData.get(i).intervention());
        }
        assertThat(rollOut(65, "of-set-alone", "--examples=" + set)).contains("none remains");

        Path other = folder.resolve("other.json");
        Files.writeString(
                other,
                "[{\"benchmark_metadata\":{\"id\":\"x\",\"difficulty_level\":1},\"reference_information\":{\"profile\":\"p\","
                        + "\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"t\"]},\"recommendations\":[]}]");
        assertThat(rollOut(65, "of-other", "--examples=" + set, "--gold=" + other))
                .contains("has no sample in the gold file");
        assertThat(rollOut(2, "of-set", "--examples=" + set, "--gate=" + folder))
                .contains("go with --data");
        rollOut(0, "of-set-kept", "--examples=" + set, "--gold=" + data, "--set=sampling.constrained=true");
        assertThat(groups("of-set-kept"))
                .as("a set says which functions its prompts show, so its responses are the samples'")
                .usingRecursiveComparison()
                .isEqualTo(ofData);
    }

    /** One of two replicas dies; the other one's answers are the rollouts of the set. */
    @Test
    void serversOfTheModelSampleToo() throws IOException {
        RecordedServer first = new RecordedServer(); // closed at its first request
        try (Tokenizer tokenizer = Tokenizer.load(model);
                RecordedServer second = new RecordedServer()) {
            long end = HuggingFaceDirectory.open(model).requiredEndTokens().get(0);
            first.continuing(body -> {
                first.close();
                return RecordedServer.cutBody();
            });
            second.continuing(body -> RecordedServer.json(200, continued(tokenizer, end, body)));
            Path remote = folder.resolve("servers.yaml");
            Files.writeString(
                    remote,
                    Files.readString(CONFIGS.resolve("data-rollout-set-remote.yaml"))
                            .replace("http://127.0.0.1:8000/v1", first.baseUrl() + "," + second.baseUrl())
                            .replace("model: policy", "model: qwen"));
            String[] asked = {"--data=" + data, "--remote=" + remote, "--json"};
            JsonNode result = new ObjectMapper().readTree(rollOut(0, "served", asked));
            assertThat(result.get("groups").intValue()).isEqualTo(SAMPLES);
            assertThat(result.get("clipped").doubleValue()).isZero();
            assertThat(groups("served")).allSatisfy(group -> assertThat(group.rollouts())
                    .extracting(Rollout::text)
                    .containsExactly("<recommendations>[]</recommendations>", "oops", "无推荐", "oops"));
            assertThat(GrpoSetFiles.read(folder.resolve("served"), PromptImageReader.BLIND)
                            .train())
                    .isNotEmpty();
            int before = second.bodies().size();
            rollOut(0, "served", asked);
            assertThat(second.bodies()).as("what is there is not sampled again").hasSize(before);
            assertThat(rollOut(78, "served", "--data=" + data)).contains("precision");
            assertThat(rollOut(78, "no", "--data=" + data, "--remote=" + remote, "--set=sampling.temperature=0.5"))
                    .contains("sampling.temperature = 0.5: servers report");
            assertThat(folder.resolve("no")).doesNotExist();
        }
    }

    private static String continued(Tokenizer tokenizer, long end, JsonNode body) {
        List<String> choices = new ArrayList<>();
        for (int i = 0; i < body.path("n").intValue(); i++) {
            String text = i % 2 == 1 ? "oops" : i == 0 ? "<recommendations>[]</recommendations>" : "无推荐";
            long[] ids = LongStream.concat(Arrays.stream(tokenizer.encodePlain(text)), LongStream.of(end))
                    .toArray();
            choices.add("{\"finish_reason\":\"stop\",\"token_ids\":" + Arrays.toString(ids)
                    + ",\"logprobs\":{\"token_logprobs\":" + Arrays.toString(new double[ids.length]) + "}}");
        }
        return "{\"choices\":[" + String.join(",", choices) + "]}";
    }

    @Test
    void aDryRunCountsPromptsAndSamplesNothing() throws IOException {
        JsonNode result = ofSamples("dry", "--dry-run", "--set=prompts.limit=5");
        assertThat(keys(result)).containsExactly("prompts", "dropped", "out_of_pool", "longest");
        assertThat(result.get("prompts").intValue()).isEqualTo(5);
        assertThat(folder.resolve("dry")).doesNotExist();
    }

    @Test
    void whatCannotBeRolledOutIsRefusedBeforeTheFirstToken() {
        assertThat(rollOut(78, "no", "--data=" + data, "--set=sampling.max-new-tokens=1000"))
                .contains(
                        "sampling.max-new-tokens = 1000: the longest prompt has ",
                        " 1024 positions, so it must be at most ");
        assertThat(rollOut(2, "no", "--data=" + data, "--gold=" + data)).contains("--gold", "goes with --examples");
        assertThat(run(2, new RolloutsCommand(), "--reasoner=" + model, "--data=" + data))
                .contains("configs/data-rollout-set.yaml is an example");
        assertThat(rollOut(65, "no", "--data=" + data, "--set=prompts.max-length=3"))
                .contains("no prompt is left of " + SAMPLES);
        assertThat(rollOut(65, folder.resolve("base"), "no", "--data=" + data))
                .contains("train it with `prpf reasoner sft`");
        assertThat(folder.resolve("no")).doesNotExist();
    }

    @Test
    void anotherTokenizerThanTheModelWasTrainedWithIsRefused() throws IOException {
        Path changed = Files.createDirectory(folder.resolve("changed"));
        try (Stream<Path> files = Files.list(model)) {
            for (Path file : files.toList()) {
                Files.copy(file, changed.resolve(file.getFileName()));
            }
        }
        Path tokenizer = changed.resolve("tokenizer.json");
        Files.writeString(tokenizer, Files.readString(tokenizer) + " ");
        assertThat(rollOut(78, changed, "no", "--data=" + data)).contains("prompt hash =", "tokenizer");
    }
}
