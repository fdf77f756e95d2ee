package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class GrpoCommandTest {
    @TempDir
    private static Path folder;

    private static Path data;
    private static Path base;
    private static Path trained;

    @BeforeAll
    static void trainsAModelFirst() {
        SmallWorld world = SmallWorld.in(folder);
        data = world.data();
        base = world.model();
        trained = folder.resolve("sft/model");
        SmallWorld.run(
                0,
                List.of(
                        "sft",
                        "--config",
                        SmallWorld.CONFIGS.resolve("reasoner-sft.yaml").toString(),
                        "--reasoner",
                        base.toString(),
                        "--data",
                        data.toString(),
                        "--run-dir",
                        folder.resolve("sft").toString(),
                        "--set",
                        "encoder.store=" + folder.resolve("store"),
                        "--set",
                        "examples.max-length=1024",
                        "--set",
                        "training.epochs=1"));
    }

    private static List<String> arguments(String run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "grpo",
                "--config",
                SmallWorld.CONFIGS.resolve("reasoner-grpo.yaml").toString(),
                "--reasoner",
                trained.toString(),
                "--data",
                data.toString(),
                "--run-dir",
                folder.resolve(run).toString(),
                "--json",
                "--set",
                "encoder.store=" + folder.resolve("store"),
                "--set",
                "prompts.max-length=1024",
                "--set",
                "rollouts.group-size=2",
                "--set",
                "rollouts.max-new-tokens=8",
                "--set",
                "training.prompts-per-step=4",
                "--set",
                "training.dev-share=0.2",
                "--set",
                "training.max-steps=2"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    @Test
    void trainsWritesAModelAndTellsWhatCameOut() throws IOException {
        JsonNode result = new ObjectMapper().readTree(SmallWorld.run(0, arguments("plain")));

        assertThat(result.fieldNames())
                .toIterable()
                .containsExactly(
                        "model",
                        "steps",
                        "prompts",
                        "dev_prompts",
                        "dropped",
                        "out_of_pool",
                        "tokens",
                        "first_reward",
                        "reward",
                        "best_step",
                        "dev_before",
                        "dev",
                        "seconds",
                        "memory");
        assertThat(result.path("memory").path("peak_mb").asLong()).isPositive();
        assertThat(result.path("steps").asInt()).isEqualTo(2);
        assertThat(result.path("prompts").asInt() + result.path("dev_prompts").asInt())
                .isEqualTo(24);
        assertThat(result.path("dev").path("n").asInt())
                .isEqualTo(result.path("dev_prompts").asInt());
        Path model = Path.of(result.path("model").asText());
        assertThat(HuggingFaceDirectory.open(model).config())
                .isEqualTo(HuggingFaceDirectory.open(trained).config());
        assertThat(PromptProvenance.read(model)).isEqualTo(PromptProvenance.read(trained));
        assertThat(Files.readAllLines(folder.resolve("plain/metrics.jsonl")))
                .as("the start, two steps, the end")
                .hasSize(4);
    }

    @Test
    void anotherProcessTrainsTheSameModel() throws IOException, InterruptedException {
        SmallWorld.run(0, arguments("here"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dai.djl.offline=true",
                SftResumeTest.Victim.class.getName()));
        command.addAll(arguments("there"));
        Path log = folder.resolve("there.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();

        assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("see " + log).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        assertThat(folder.resolve("there/samples.jsonl")).hasSameTextualContentAs(folder.resolve("here/samples.jsonl"));
        List<JsonNode> expected = metrics("here");
        List<JsonNode> found = metrics("there");
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(found.get(i).equals(GrpoCommandTest::compareRounded, expected.get(i)))
                    .as("%s, expected %s", found.get(i), expected.get(i))
                    .isTrue();
        }
        try (SafeTensors here = SafeTensors.open(folder.resolve("here/model/model.safetensors"));
                SafeTensors there = SafeTensors.open(folder.resolve("there/model/model.safetensors"))) {
            assertThat(there.entries().keySet()).isEqualTo(here.entries().keySet());
            for (String name : here.entries().keySet()) {
                assertThat(there.floats(name)).as(name).containsExactly(here.floats(name), within(1e-5f));
            }
        }
    }

    /** A process that has run nothing else may compute with other kernels, so the last bits may differ. */
    private static int compareRounded(JsonNode a, JsonNode b) {
        boolean close = a.isNumber() && b.isNumber() && Math.abs(a.doubleValue() - b.doubleValue()) < 1e-5;
        return close || a.equals(b) ? 0 : 1;
    }

    private static List<JsonNode> metrics(String run) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve(run).resolve("metrics.jsonl"))) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    @Test
    void aFinishedRunSaysTheSameAgain() throws IOException {
        List<String> arguments = arguments("again", "--set", "training.lora={rank: 2, alpha: 4, targets: [q_proj]}");
        JsonNode first = new ObjectMapper().readTree(SmallWorld.run(0, arguments));
        JsonNode second = new ObjectMapper().readTree(SmallWorld.run(0, arguments));

        for (String name : List.of("model", "steps", "first_reward", "reward", "best_step", "dev_before", "dev")) {
            assertThat(second.path(name)).as(name).isEqualTo(first.path(name));
        }
        assertThat(folder.resolve("again/model-adapter/adapter_model.safetensors"))
                .exists();
    }

    @Test
    void aDryRunCountsPromptsAndTrainsNothing() throws IOException {
        JsonNode result = new ObjectMapper().readTree(SmallWorld.run(0, arguments("dry", "--dry-run")));

        assertThat(result.path("responses_per_step").asInt()).isEqualTo(8);
        assertThat(result.path("silent").asInt()).isPositive();
        assertThat(result.path("memory").path("rollouts_mb").isNumber()).isTrue();
        assertThat(folder.resolve("dry")).doesNotExist();
    }

    private static Path rollouts(String run, String... more) {
        Path rollouts = folder.resolve(run);
        List<String> arguments = new ArrayList<>(List.of(
                "--config",
                SmallWorld.CONFIGS.resolve("data-rollout-set.yaml").toString(),
                "--reasoner",
                trained.toString(),
                "--data",
                data.toString(),
                "--run-dir",
                rollouts.toString(),
                "--set=encoder.store=" + folder.resolve("store"),
                "--set=prompts.max-length=900",
                "--set=sampling.temperature=3",
                "--set=set.std-above=0",
                "--set=set.correct-from=0",
                "--set=set.correct-to=1",
                "--set=set.silent-share=0",
                "--set=set.test-share=0.2"));
        arguments.addAll(List.of(more));
        CommandLine line = new CommandLine(new RolloutsCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        assertThat(line.execute(arguments.toArray(String[]::new))).isZero();
        return rollouts;
    }

    private static List<String> on(String option, Path set, String run) {
        List<String> arguments = arguments(run);
        arguments.set(arguments.indexOf("--data"), option);
        arguments.set(arguments.indexOf(data.toString()), set.toString());
        return arguments;
    }

    /** Trains on the set a model that is the same but for its chat template. */
    private static List<String> inAnotherTemplate(Path set) throws IOException {
        Path model = folder.resolve("qwen3");
        Files.createDirectory(model);
        try (Stream<Path> files = Files.list(trained)) {
            for (Path file : files.toList()) {
                Files.copy(file, model.resolve(file.getFileName()));
            }
        }
        Path jinja = Golden.resource("chat-templates").resolve("qwen3.jinja");
        Files.copy(jinja, model.resolve("chat_template.jinja"));
        PromptProvenance before = Objects.requireNonNull(PromptProvenance.find(trained));
        PromptProvenance.of(before.prompt(), ChatTemplates.ofFile(jinja), before.tokenizerSha256())
                .write(model);
        List<String> arguments = on("--prompts", set, "another-template");
        arguments.set(arguments.indexOf(trained.toString()), model.toString());
        return arguments;
    }

    @Test
    void theSetsPromptsAreRolledOutAnew() throws IOException {
        Path rollouts = rollouts("rollouts", "--set=sampling.max-new-tokens=100", "--set=sampling.constrained=true");
        List<String> arguments = on("--prompts", rollouts, "of-set");

        JsonNode result = new ObjectMapper().readTree(SmallWorld.run(0, arguments));

        assertThat(result.path("prompts").asInt())
                .isEqualTo(Files.readAllLines(rollouts.resolve("train.jsonl")).size());
        assertThat(result.path("dev_prompts").asInt())
                .isEqualTo(Files.readAllLines(rollouts.resolve("test.jsonl")).size());

        theSetsPromptsKeepToTheConfiguration(arguments, result.path("prompts").asInt());

        String promptHash = PromptProvenance.read(trained).promptHash();
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), inAnotherTemplate(rollouts)))
                .contains("prompt hash = " + promptHash, "template, wording and tokenizer must be the same");

        Path train = rollouts.resolve("train.jsonl");
        Files.writeString(train, Files.readString(train).replace(promptHash, "0".repeat(64)));
        Files.delete(rollouts.resolve("test.jsonl"));
        arguments.set(
                arguments.indexOf(folder.resolve("of-set").toString()),
                folder.resolve("other").toString());
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments))
                .contains("prompt hash = 000000", "roll out again with this model");
    }

    @Test
    void theSetsStoredRolloutsAreTrainedOnWhereTheyFit() throws IOException {
        Path stored = rollouts("stored", "--set=sampling.max-new-tokens=100", "--set=sampling.constrained=true");
        List<String> arguments = on("--rollouts", stored, "of-stored");
        arguments.addAll(List.of("--set", "rollouts.temperature=3", "--set", "rollouts.max-new-tokens=100"));
        arguments.addAll(List.of("--set", "training.updates-per-rollout=2", "--set", "training.selection=last"));
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments))
                .contains("its rollouts have constrained = true, this training has false");
        for (String name : List.of("train.jsonl", "test.jsonl")) {
            Path file = stored.resolve(name);
            Files.writeString(file, Files.readString(file).replace("\"constrained\":true", "\"constrained\":false"));
        }
        JsonNode result = new ObjectMapper().readTree(SmallWorld.run(0, arguments));
        assertThat(result.path("steps").asInt()).isEqualTo(2);
        assertThat(RunDirectory.metrics(folder.resolve("of-stored"))
                        .get(1)
                        .path("ratio_mean")
                        .doubleValue())
                .isNotEqualTo(1);

        arguments.addAll(List.of("--dry-run", "--set", "rollouts.temperature=1"));
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments))
                .contains("its rollouts have temperature = 3.0, this training has 1.0", "with --prompts");
        arguments.addAll(List.of("--set", "rollouts.temperature=3"));
        arguments.set(
                arguments.indexOf("--reasoner") + 1,
                folder.resolve("of-stored/model").toString());
        assertThat(SmallWorld.run(ExitCode.BAD_CONFIG.status(), arguments)).contains("its rollouts have policy = ");
    }

    private static void theSetsPromptsKeepToTheConfiguration(List<String> ofSet, int all) throws IOException {
        List<String> limited = new ArrayList<>(ofSet);
        limited.addAll(List.of("--dry-run", "--set", "prompts.limit=3"));
        assertThat(new ObjectMapper()
                        .readTree(SmallWorld.run(0, limited))
                        .path("prompts")
                        .asInt())
                .isEqualTo(3);

        List<String> shorter = new ArrayList<>(ofSet);
        int longest = new ObjectMapper()
                .readTree(SmallWorld.run(0, limited))
                .path("longest")
                .asInt();
        shorter.addAll(List.of("--dry-run", "--set", "prompts.max-length=" + (longest - 1)));
        JsonNode left = new ObjectMapper().readTree(SmallWorld.run(0, shorter));
        assertThat(left.path("dropped").asInt()).isPositive();
        assertThat(left.path("prompts").asInt()).isLessThan(all);

        shorter.addAll(List.of("--set", "prompts.over-long=refuse"));
        assertThat(SmallWorld.run(ExitCode.BAD_DATA.status(), shorter))
                .contains("tokens, prompts.max-length = " + (longest - 1), "set prompts.over-long to drop");
        shorter.addAll(List.of("--set", "prompts.over-long=drop", "--set", "prompts.max-length=1"));
        assertThat(SmallWorld.run(ExitCode.BAD_DATA.status(), shorter))
                .contains("no prompt of its " + all + " is left");
    }

    @Test
    void responsesBeyondTheModelsPositionsAreRefused() {
        assertThat(SmallWorld.run(
                        ExitCode.BAD_CONFIG.status(), arguments("long", "--set", "rollouts.max-new-tokens=1000")))
                .contains(
                        "rollouts.max-new-tokens = 1000: the longest prompt has", "positions, so it must be at most ");
    }

    @Test
    void theResultDoesNotReplaceWhatTheRunBeginsWith() {
        assertThat(SmallWorld.run(ExitCode.USAGE.status(), arguments("x", "--out", trained.toString(), "--dry-run")))
                .contains("--out " + trained + ": is --reasoner");
        assertThat(SmallWorld.run(ExitCode.USAGE.status(), arguments("x", "--out", folder.toString(), "--dry-run")))
                .contains("would replace the run in");
        assertThat(trained.resolve("model.safetensors")).exists();
    }

    @Test
    void aModelThatWasNeverFineTunedIsRefused() {
        List<String> arguments = arguments("none");
        arguments.set(arguments.indexOf(trained.toString()), base.toString());

        assertThat(SmallWorld.run(ExitCode.BAD_DATA.status(), arguments)).contains("prpf.json", "reasoner sft");
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        List<String> arguments = arguments("x", "--gate", "runs/gate");
        arguments.set(arguments.indexOf("--data"), "--prompts");

        assertThat(SmallWorld.run(ExitCode.USAGE.status(), arguments))
                .contains("--scenarios, --gate and --images go with --data");
        assertThat(SmallWorld.execute(
                        arguments("x", "--prompts", "runs/rollouts").toArray(new String[0])))
                .isEqualTo(ExitCode.USAGE.status());
    }
}
