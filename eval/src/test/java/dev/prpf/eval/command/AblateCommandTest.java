package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code eval ablate} in another process, where it must refuse; {@code EvalJsonContractTest} tests what it does. */
@Tag("slow")
class AblateCommandTest {
    private static final String YAML =
            """
            places: {there: models}
            options: {}
            scoring: {gold: gold.json, pool: pool.json, scenarios: null, resamples: 50, seed: 1, cluster-by: sample}
            store: store
            models:
              base: {commands: [], gives: "{there}/base"}
              tuned: {commands: ["reasoner sft --config sft.yaml --reasoner {models.base} --data gold.json --run-dir {self}"], gives: "{self}"}
            every-run: --data gold.json
            runs:
              full: {arguments: "--reasoner {models.tuned}", seeds: [], costs: false}
            tables:
              table2: [{name: "Full", runs: [full], against: null}]
            """;

    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs").toAbsolutePath();

    private final Path directory = CommandWorker.emptyFolder();

    private void refused(int exitCode, String yaml, List<String> arguments, String... messages) throws IOException {
        Files.writeString(directory.resolve("a.yaml"), yaml);
        List<String> command = new ArrayList<>(List.of("eval", "ablate", "--run-dir", "r", "--json"));
        command.addAll(arguments);
        CommandProcess.Result result = CommandWorker.run(command.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr()).contains(messages).doesNotContain("\tat ");
        assertThat(directory.resolve("r/run.json")).doesNotExist();
    }

    @Test
    void whatIsNotThereIsToldBeforeAnythingRuns() throws IOException {
        refused(
                69,
                YAML,
                List.of("--config=a.yaml", "--set=places.there=elsewhere"),
                "a.yaml names missing paths: gold.json, pool.json, elsewhere/base, sft.yaml");
    }

    @Test
    void unknownWordsOfACommand_areReportedBeforeAnythingRuns() throws IOException {
        refused(
                78,
                YAML.replace("--data gold.json --run-dir", "--dta gold.json --run-dir")
                        .replace("arguments: \"--reasoner", "arguments: \"--temperatur 1 --reasoner"),
                List.of("--config=a.yaml"),
                "a.yaml: models.tuned: Unknown option",
                "'--dta'",
                "a.yaml: runs.full: Unknown option",
                "in ./prpf eval run --data gold.json --temperatur 1 --reasoner r/models/tuned --store store --out");
    }

    @Test
    void runsOverOtherSamplesAreToldBeforeAnythingRuns() throws IOException {
        Files.createDirectories(directory.resolve("models/base"));
        for (String file : List.of("gold.json", "pool.json", "sft.yaml", "other.json")) {
            Files.writeString(directory.resolve(file), file);
        }
        refused(
                65,
                YAML.replace("every-run: --data gold.json", "every-run: --data other.json"),
                List.of("--config=a.yaml"),
                "r/runs/full/predictions.jsonl: is of the samples other.json (SHA-256 ",
                "but scoring.gold is gold.json (SHA-256 ");
    }

    /** An option that is given its default is the same as none. */
    @Test
    void whatRunsBatchIsComparedAsItIsRead() throws IOException {
        String yaml = YAML.replace(
                        "costs: false}\n",
                        """
                        costs: true}
                          alone: {arguments: "--reasoner {models.tuned} --gating off --batch-size=16 --dtype FP32", seeds: [], costs: true}
                        """)
                + "  table10: [{name: alone, runs: [alone], against: null}, {name: Full, runs: [full], against: alone}]\n";
        Files.writeString(directory.resolve("a.yaml"), yaml);
        CommandProcess.Result same =
                CommandWorker.run("eval", "ablate", "--config=a.yaml", "--run-dir=r", "--dry-run", "--json");
        assertThat(same.exitCode()).as(same.stderr()).isZero();
        refused(
                78,
                yaml.replace("--batch-size=16", "--batch-size=4"),
                List.of("--config=a.yaml"),
                "a.yaml: tables.table10: its runs batch differently, which changes the cost of a prediction: alone has"
                        + " --batch-size 4 and --dtype fp32, Full has --batch-size 16 and --dtype fp32");
    }

    @Test
    void aConfigurationIsNeededAndRightWhole() throws IOException {
        refused(2, YAML, List.of(), "eval ablate needs --config; configs/ablate.yaml is an example");
        refused(
                78,
                YAML.replace("{models.base}", "{models.bse}").replace("runs: [full]", "runs: [fll]"),
                List.of("--config=a.yaml"),
                "a.yaml: models.tuned.commands[0]: {models.bse} is not defined (did you mean \"models.base\"?)",
                "a.yaml: tables.table2, row \"Full\": no run is called \"fll\" (did you mean \"full\"?)");
    }

    @Test
    void stagesOfUnknownOriginAreNotGoneOnWith() throws IOException {
        Files.createDirectories(directory.resolve("models/base"));
        Files.createDirectories(directory.resolve("r"));
        for (String file : Arrays.asList("gold.json", "pool.json", "sft.yaml")) {
            Files.writeString(directory.resolve(file), "x");
        }
        Files.writeString(directory.resolve("r/stages.json"), "{\"models.tuned\": 1.0}");
        refused(
                78,
                YAML,
                List.of("--config=a.yaml"),
                "r/stages.json: no run.json next to it, so its settings are unknown");
    }

    /** Every word of every command of the shipped ablations is known to its command, and every configuration that they name is shipped. */
    @Test
    void theShippedAblationsAreCommandsThatAreThere() throws IOException {
        for (String name : List.of("ablate.yaml", "quickstart/ablate.yaml")) {
            JsonNode plan = planOfShipped(name);
            assertThat(plan.get("stages").fieldNames())
                    .toIterable()
                    .as(name)
                    .contains("models.gate-no-slow", "runs.full", "runs.no-sft", "runs.think-rec-function.seed-2");
            assertThat(plan.get("stages"))
                    .as("a server's settings stand in its file")
                    .allSatisfy(stage -> assertThat(stage.toString()).doesNotContainPattern("--remote.*--dtype"))
                    .allSatisfy(stage -> assertThat(stage.toString()).doesNotContainPattern("--dtype.*--remote"));
        }
    }

    /** One model and one run for each of what prompts show of screenshots, alike in all else. */
    @Test
    void theShippedAblationOfScreenshotsComparesWhatPromptsShow() throws IOException {
        JsonNode stages = planOfShipped("ablate-vision.yaml").get("stages");
        List<String> trainings = new ArrayList<>();
        for (String form : List.of("ocr", "pixels", "both")) {
            String training = stages.at("/models." + form + "/0").textValue();
            assertThat(training).contains(" reasoner sft ", " --set prompt.screenshots=" + form);
            trainings.add(training.replaceAll("models/" + form + "|=" + form, "FORM")
                    .replaceAll(" --set prompt.max-visual-tokens=(256|null)", ""));
            assertThat(stages.at("/runs." + form + "/0").textValue())
                    .contains(" --reasoner r/models/" + form + "/model ");
        }
        assertThat(trainings.stream().distinct()).hasSize(1);
        assertThat(planOfShipped("quickstart-vision.yaml").get("stages").fieldNames())
                .toIterable()
                .contains("models.text", "models.images", "models.blind", "runs.blind");
    }

    private static final String TRAINING =
            """
            places: {}
            options: {images: --images images --pool pool.json}
            scoring: {gold: gold.json, pool: pool.json, scenarios: null, resamples: 50, seed: 1, cluster-by: sample}
            store: store
            models:
              start: {commands: [], gives: start}
              set: {commands: ["data sft-set --config {configs}/data-sft-set-proactivemobile-ocr.yaml --data gold.json --out {self}/set.jsonl"], gives: "{self}/set.jsonl"}
              sft: {commands: ["reasoner sft --config {configs}/reasoner-sft-proactivemobile-ocr.yaml --reasoner {models.start} --examples {models.set} --run-dir {self}"], gives: "{self}/model"}
              groups: {commands: ["data rollout-set --config {configs}/data-rollout-set-prpf.yaml --reasoner {models.sft} --examples {models.set} --gold gold.json --pool pool.json --run-dir {self}"], gives: "{self}"}
              grpo: {commands: ["reasoner grpo --config {configs}/reasoner-grpo-prpf.yaml --reasoner {models.sft} --prompts {models.groups} --run-dir {self}"], gives: "{self}/model"}
            every-run: --data gold.json
            runs:
              full: {arguments: "--reasoner {models.grpo} --gating off --compress off", seeds: [], costs: false}
            tables:
              table2: [{name: "Full", runs: [full], against: null}]
            """;

    private CommandProcess.Result dryRun(String config) throws IOException {
        Files.writeString(directory.resolve("a.yaml"), TRAINING);
        Files.createDirectories(directory.resolve("start"));
        Files.writeString(directory.resolve("start/config.json"), config);
        return CommandWorker.run("eval", "ablate", "--config=a.yaml", "--run-dir=r", "--dry-run", "--json");
    }

    /** The shape of a llama with this many layers of 200 million parameters. */
    private static String llama(int layers) {
        return """
                {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 12288, "num_attention_heads": 32,
                 "num_hidden_layers": %d, "vocab_size": 1000, "max_position_embeddings": 20000, "eos_token_id": 2}
                """
                .formatted(layers);
    }

    @Test
    void whatDoesNotFitIsPlannedForAnotherTrainer() throws IOException {
        CommandProcess.Result result = dryRun(llama(400));
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode needs = new ObjectMapper().readTree(result.stdout()).get("needs");
        JsonNode sft = needs.at("/models.sft/0");
        assertThat(sft.get("fits").booleanValue()).isFalse();
        assertThat(sft.get("bytes").longValue()).as("16 a parameter").isGreaterThan(400 * 218_000_000L * 16);
        assertThat(sft.get("seconds").isNull()).isTrue();
        assertThat(sft.get("lower").textValue()).contains("training.batch-size");
        assertThat(sft.get("elsewhere").textValue())
                .isEqualTo(
                        "configs/launch/trl.sh sft start r/models/sft/model --examples r/models/set/set.jsonl -- --learning_rate"
                                + " 1.0E-5 --num_train_epochs 4 --gradient_accumulation_steps 4 --max_length 65536");
        assertThat(needs.at("/models.grpo/0/elsewhere").textValue())
                .isEqualTo(
                        "configs/launch/trl.sh grpo r/models/sft/model r/models/grpo/model --examples r/models/set/set.jsonl"
                                + " --gold gold.json --groups r/models/groups/train.jsonl --pool pool.json --"
                                + " --learning_rate 5.0E-7 --num_train_epochs 1 --gradient_accumulation_steps 4 --beta 0.05"
                                + " --num_iterations 1 --num_generations 8 --temperature 1.0"
                                + " --max_completion_length 1024");
        assertThat(needs.at("/models.groups/0/fits").booleanValue()).isFalse();
        assertThat(needs.at("/runs.full/0/about").textValue()).contains("to prompts of 20000");
        assertThat(needs.at("/models.set/0/fits").booleanValue()).isTrue();
    }

    private JsonNode planOfShipped(String name) throws IOException {
        CommandProcess.Result result = CommandWorker.run(
                "eval", "ablate", "--config", CONFIGS.resolve(name).toString(), "--run-dir=r", "--dry-run", "--json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode plan = new ObjectMapper().readTree(result.stdout());
        assertThat(plan.get("needs")).hasSameSizeAs(plan.get("stages"));
        assertThat(plan.get("missing")).as(name).noneMatch(path -> path.textValue()
                .endsWith(".yaml"));
        return plan;
    }
}
