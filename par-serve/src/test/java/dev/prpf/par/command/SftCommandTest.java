package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.training.ParSftConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class SftCommandTest extends SftCommandRuns {
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
        Path next = folder.resolve("next");
        Files.createDirectory(folder.resolve("next-adapter"));
        Files.writeString(folder.resolve("next-adapter/thesis.txt"), "years of work");
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
        assertThat(refusedOut("out", next, "--set", lora)).contains("next-adapter", "thesis.txt");
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
