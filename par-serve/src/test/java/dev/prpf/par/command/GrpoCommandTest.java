package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.run.ExitCode;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                        SmallWorld.CONFIGS.resolve("par-sft.yaml").toString(),
                        "--model",
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
                SmallWorld.CONFIGS.resolve("par-grpo.yaml").toString(),
                "--model",
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
                "rollouts.max-new=8",
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
                        "tokens",
                        "first_reward",
                        "reward",
                        "best_step",
                        "dev_before",
                        "dev",
                        "seconds");
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
        assertThat(folder.resolve("dry")).doesNotExist();
    }

    @Test
    void aModelThatWasNeverFineTunedIsRefused() {
        List<String> arguments = arguments("none");
        arguments.set(arguments.indexOf(trained.toString()), base.toString());

        assertThat(SmallWorld.run(ExitCode.BAD_DATA.status(), arguments)).contains("prpf.json", "par sft");
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        assertThat(SmallWorld.run(ExitCode.USAGE.status(), arguments("x", "--dev-prompts", "f.jsonl")))
                .contains("--dev-prompts goes with --prompts");
        assertThat(SmallWorld.run(ExitCode.USAGE.status(), arguments("x", "--prompts", "f.jsonl", "--mpp", "runs/mpp")))
                .contains("--mpp and --images go without --prompts");
    }
}
