package dev.prpf.eval.ablate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.base.workflow.Stage;
import dev.prpf.base.workflow.StageRunner;
import dev.prpf.base.workflow.StageRunner.CommandRunner;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.mpp.command.GateCommand;
import dev.prpf.par.command.ReasonerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class AblationPlanTest {
    private static final String YAML =
            """
            places:
              data: my data
              there: "{data}/models"
            options:
              train: --data {data}/train.json --store {store}
              drawn: --temperature 1 {options.few}
              few: --max-new 8
            scoring: {gold: "{data}/test.json", pool: "{data}/pool.json", scenarios: null, resamples: 10, seed: 1, cluster-by: sample}
            store: "{run}/store"
            models:
              unused: {commands: ["reasoner sft --run-dir {self}"], gives: "{self}/model"}
              full:
                commands: ["reasoner grpo --reasoner {models.sft} {options.train} --run-dir {self}"]
                gives: "{self}/model"
              sft:
                commands: ["reasoner sft --reasoner {models.base} --config {configs}/reasoner-sft.yaml --run-dir {self}"]
                gives: "{self}/model"
              base: {commands: [], gives: "{there}/base"}
              gate: {commands: ["gate train --run-dir {self}", "gate sweep --gate {self}"], gives: "{self}"}
            every-run: --data {data}/test.json
            runs:
              whole: {arguments: "--gate {models.gate} --reasoner {models.full}", seeds: [], costs: true}
              alone: {arguments: "--reasoner {models.full}", seeds: [], costs: true}
              drawn: {arguments: "--reasoner {models.sft} {options.drawn} --seed {seed}", seeds: [3, 4], costs: false}
              idle: {arguments: "--reasoner {models.unused}", seeds: [], costs: false}
            tables:
              table2:
                - {name: full, runs: [whole], against: null}
                - {name: drawn, runs: [drawn], against: full}
              table10:
                - {name: single, runs: [alone], against: null}
                - {name: full, runs: [whole], against: single}
            """;

    @TempDir
    Path directory;

    @Command(
            name = "prpf",
            subcommands = {EvalCommand.class, GateCommand.class, ReasonerCommand.class})
    private static final class Commands {}

    private static CommandLine commands() {
        return new CommandLine(new Commands()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static AblationPlan plan(String yaml) {
        AblateConfig config = StrictYaml.readText("a.yaml", yaml, AblateConfig.class, List.of());
        return AblationPlan.of("a.yaml", config, Path.of("r"), Path.of("c"), commands());
    }

    private static List<String> typed(AblationPlan plan, String stage) {
        return plan.steps().stream()
                .map(AblationPlan.Step::stage)
                .filter(one -> one.name().equals(stage))
                .map(Stage::typed)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRegisteredModelWithoutATrainingRunWasMadeElsewhere() throws IOException {
        AblateConfig config = StrictYaml.readText("a.yaml", YAML, AblateConfig.class, List.of());
        AblationPlan.Step sft = AblationPlan.of("a.yaml", config, directory, Path.of("c"), commands()).steps().stream()
                .filter(step -> step.name().equals("models.sft"))
                .findFirst()
                .orElseThrow();
        assertThat(sft.madeElsewhere()).isFalse();
        Files.createDirectories(directory.resolve("models/sft/model"));
        Files.writeString(directory.resolve("models/sft/model/prpf.json"), "{}");
        assertThat(sft.madeElsewhere()).isTrue();
        Files.writeString(directory.resolve("models/sft/run.json"), "{}");
        assertThat(sft.madeElsewhere()).as("its own training began").isFalse();
    }

    @Test
    void everyModelComesBehindWhatItIsMadeOfAndNothingRunsTwice() {
        AblationPlan plan = plan(YAML);
        assertThat(plan.steps())
                .extracting(AblationPlan.Step::name)
                .containsExactly(
                        "models.sft",
                        "models.full",
                        "models.gate",
                        "runs.whole",
                        "runs.drawn.seed-3",
                        "runs.drawn.seed-4",
                        "runs.alone");
        assertThat(plan.steps())
                .filteredOn(step -> step.measured() != null)
                .extracting(AblationPlan.Step::name)
                .containsExactly("runs.whole", "runs.alone");
        assertThat(plan.given()).containsOnlyKeys("base").containsValue(Path.of("my data/models/base"));
        assertThat(plan.runs()).containsOnlyKeys("whole", "drawn", "alone");
        assertThat(plan.steps().get(3).stage().about())
                .isEqualTo("predict, for PRPF Table 2 \"full\", PRPF Table 10 \"full\"");
    }

    @Test
    void placeholdersBecomeWordsAndPathsMayHoldBlanks() {
        AblationPlan plan = plan(YAML);
        assertThat(typed(plan, "models.full"))
                .containsExactly(
                        "./prpf reasoner grpo --reasoner r/models/sft/model --data 'my data/train.json' --store r/store"
                                + " --run-dir r/models/full");
        assertThat(typed(plan, "models.sft"))
                .containsExactly(
                        "./prpf reasoner sft --reasoner 'my data/models/base' --config c/reasoner-sft.yaml --run-dir"
                                + " r/models/sft");
        assertThat(typed(plan, "models.gate")).hasSize(2).last().isEqualTo("./prpf gate sweep --gate r/models/gate");
        assertThat(typed(plan, "runs.drawn.seed-4"))
                .as("a run without costs shares the store")
                .containsExactly(
                        "./prpf eval run --data 'my data/test.json' --reasoner r/models/sft/model --temperature 1"
                                + " --max-new 8 --seed 4 --store r/store --out r/runs/drawn/seed-4/predictions.jsonl");
        assertThat(typed(plan, "runs.whole"))
                .as("a run with costs has a store of its own")
                .containsExactly("./prpf eval run --data 'my data/test.json' --gate r/models/gate --reasoner"
                        + " r/models/full/model --store r/runs/whole/store --out r/runs/whole/predictions.jsonl");
    }

    private static void refused(String yaml, String... messages) {
        assertThatThrownBy(() -> plan(yaml))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContainingAll(messages);
    }

    @Test
    void unknownNamesAreAllToldAtOnceWithTheirPlace() {
        refused(
                YAML.replace("{models.sft} {options.train}", "{models.stf} {options.trian}")
                        .replace("runs: [drawn]", "runs: [dawn]")
                        .replace("against: single", "against: singel")
                        .replace("--data {data}/test.json\nruns", "--data {dta}/test.json --out x\nruns"),
                "a.yaml: models.full.commands[0]: {models.stf} is not defined (did you mean \"models.sft\"?)",
                "a.yaml: models.full.commands[0]: {options.trian} is not defined (did you mean \"options.train\"?)",
                "a.yaml: every-run: {dta} is not defined (did you mean \"data\"?)",
                "a.yaml: every-run: --out is decided by the ablation; remove it",
                "a.yaml: tables.table2, row \"drawn\": no run is called \"dawn\" (did you mean \"drawn\"?)",
                "a.yaml: tables.table10, row \"full\": against \"singel\", must be another row of the table (did you mean"
                        + " \"single\"?)");
    }

    @Test
    void aPlaceInAModelsPathMeansTheFolderOfThatModel() {
        AblationPlan plan = plan(YAML.replace("data: my data", "data: my data\n  out: \"{self}/model\"")
                .replace("gives: \"{self}/model\"", "gives: \"{out}\""));
        assertThat(typed(plan, "models.full").get(0))
                .startsWith("./prpf reasoner grpo --reasoner r/models/sft/model --data");
    }

    @Test
    void circlesAreRefused() {
        refused(
                YAML.replace("reasoner sft --reasoner {models.base}", "reasoner sft --reasoner {models.full}"),
                "models.full: needs itself: full -> sft -> full");
        refused(YAML.replace("data: my data", "data: \"{there}\""), "{data} refers to itself");
        refused(
                YAML.replace("few: --max-new 8", "few: \"{options.drawn}\""),
                "runs.drawn.arguments: {options.drawn} refers to itself");
        refused(
                YAML.replace(
                        "--reasoner {models.full}\", seeds: [], costs: true}\n  alone",
                        "x{options.few}\", seeds: [], costs:" + " true}\n  alone"),
                "runs.whole.arguments: {options.few} is part of a word, must be a separate word");
        refused(YAML.replace("  data: my data", "  data: my data\n  run: x"), "places.run: is a built-in name");
    }

    @Test
    void costs_areComparedOnlyIfMeasuredAlike() {
        refused(
                YAML.replace(
                        "--reasoner {models.full}\", seeds: [], costs: true}\n  drawn",
                        "--reasoner {models.full}\", seeds: []," + " costs: false}\n  drawn"),
                "tables.table10, row \"single\": must be one run without seeds, with costs: true");
        assertThat(batching("--batch-size=4"))
                .containsExactly(
                        "tables.table10: its runs batch differently, which changes the cost of a prediction: single has"
                                + " --batch-size 4 and --dtype fp32, full has --batch-size 16 and --dtype fp32");
        assertThat(batching("--batch-size=16 --dtype FP32"))
                .as("the defaults, said")
                .isEmpty();
        refused(
                YAML.replace(
                        "alone: {arguments: \"--reasoner {models.full}\"", "alone: {arguments: \"--remote s.yaml\""),
                "a.yaml: runs.alone: costs: true with --remote, must be false");
        refused(
                YAML.replace("{name: single, runs: [alone]", "{name: single, runs: [alone, drawn]"),
                "row \"single\": must be one run");
    }

    private static List<String> batching(String options) {
        return plan(YAML.replace("\"--reasoner {models.full}\"", "\"--reasoner {models.full} " + options + "\"")
                        .replace("gate train", "gate train --data d")
                        .replace("reasoner sft", "reasoner sft --data d"))
                .defects();
    }

    @Test
    void unknownWordsOfACommand_areReported() {
        assertThat(plan(YAML.replace("gate sweep --gate {self}", "gate sweep --gate {self} --rnu"))
                        .defects())
                .contains("models.gate: Unknown option: '--rnu', in ./prpf gate sweep --gate r/models/gate --rnu");
    }

    @Test
    void whatTheFileItselfSaysWrongStandsWithItsLine() {
        refused(
                YAML.replace("table10:", "table11:"),
                "tables = table11 must be one of table2, table3, table10, pm-t5, pm-t7");
        refused(
                YAML.replace("runs: [whole], against: null", "runs: [], against: null"),
                "a.yaml:",
                "runs of the row \"full\"");
        refused(
                YAML.replace("runs: [whole], against: null", "runs: [idle, idle], against: null"),
                "[idle, idle] must be different");
        refused(
                YAML.replace("seeds: [3, 4]", "seeds: []"),
                "seeds = [] must be at least one, for the arguments hold {seed}");
        refused(YAML.replace("seeds: [3, 4]", "seeds: [3, 3]"), "seeds = [3, 3] must be different");
        refused(YAML.replace("[\"gate train --run-dir {self}\"", "[\" \""), "models.gate.commands[0]: is empty");
        refused(
                YAML.replace("- {name: drawn, runs: [drawn]", "- {name: full, runs: [drawn]"),
                "row \"full\": is a duplicate");
        refused(YAML.replace("costs: true", "cost: true"), "is not a known key (did you mean \"costs\"?)");
        refused(YAML.replace("resamples: 10", "resamples: 0"), "resamples = 0 must be at least 1");
    }

    @Test
    void whatMustBeThereIsNamedAndItsHashesAreFacts() throws IOException {
        String yaml = YAML.replace("data: my data", "data: \"" + directory + "\"");
        AblateConfig config = StrictYaml.readText("a.yaml", yaml, AblateConfig.class, List.of());
        AblationPlan plan = AblationPlan.of("a.yaml", config, Path.of("r"), directory, commands());
        Path sft = directory.resolve("reasoner-sft.yaml");
        Path gold = directory.resolve("test.json");
        Path pool = directory.resolve("pool.json");
        Path train = directory.resolve("train.json");
        assertThat(plan.missing()).containsExactly(gold, pool, directory.resolve("models/base"), sft, train);
        Files.createDirectories(directory.resolve("models/base"));
        for (Path file : List.of(sft, gold, pool, train)) {
            Files.writeString(file, String.valueOf(file.getFileName()));
        }
        assertThat(plan.missing()).isEmpty();
        assertThat(plan.facts())
                .containsOnlyKeys(
                        "gold_sha256", "pool_sha256", sft + "_sha256", train + "_sha256", "models.base_sha256")
                .containsEntry("gold_sha256", AtomicFiles.sha256(gold))
                .containsEntry(train + "_sha256", AtomicFiles.sha256(train));
        Map<String, Object> before = plan.facts();
        Files.writeString(directory.resolve("models/base/weights"), "trained again");
        assertThat(plan.facts())
                .containsEntry("gold_sha256", before.get("gold_sha256"))
                .doesNotContainEntry("models.base_sha256", before.get("models.base_sha256"));
    }

    @Test
    void shardsOfParquetAreThereByTheBeginningOfTheirNames() throws IOException {
        String yaml =
                YAML.replace("data: my data", "data: \"" + directory + "\"").replace("train.json", "train");
        AblateConfig config = StrictYaml.readText("a.yaml", yaml, AblateConfig.class, List.of());
        AblationPlan plan = AblationPlan.of("a.yaml", config, Path.of("r"), directory, commands());
        Path train = directory.resolve("train");
        assertThat(plan.missing()).contains(train);
        Files.writeString(directory.resolve(ParquetShards.name("train", 0, 1)), "rows");
        assertThat(plan.missing()).doesNotContain(train);
    }

    @Test
    void everyRunPredictsTheGoldFile() throws IOException {
        String yaml = YAML.replace("data: my data", "data: \"" + directory + "\"")
                .replace("drawn: {arguments: \"--reasoner", "drawn: {arguments: \"--data {data}/train.json --reasoner")
                .replace("every-run: --data {data}/test.json", "every-run: \"\"")
                .replace("arguments: \"--gate", "arguments: \"--data {data}/test.json --gate")
                .replace(
                        "arguments: \"--reasoner {models.full}",
                        "arguments: \"--data {data}/test.json --reasoner {models.full}");
        AblationPlan plan = plan(yaml);
        Path gold = Files.writeString(directory.resolve("test.json"), "gold");
        Path train = Files.writeString(directory.resolve("train.json"), "gold");
        assertThatNoException().as("a copy is the same").isThrownBy(plan::requireGold);
        Files.writeString(train, "other samples");
        assertThatThrownBy(plan::requireGold)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("r/runs/drawn/seed-3/predictions.jsonl: is of the samples " + train)
                .hasMessageContaining("but scoring.gold is " + gold);
        AblationPlan.Evaluation whole = plan.evaluations().findFirst().orElseThrow();
        assertThatNoException().isThrownBy(() -> plan.requireGold(whole, AtomicFiles.sha256(gold)));
        assertThatThrownBy(() -> plan.requireGold(whole, AtomicFiles.sha256(train)))
                .as("the file was another when it was predicted")
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("r/runs/whole/predictions.jsonl");
        assertThatThrownBy(() -> plan.requireGold(whole, null)).hasMessageContaining("SHA-256 null");
    }

    /** After a kill at any command, the ablation resumes with that stage; finished models and runs do not change. */
    @Test
    void anAblationKilledAtAnyCommandGoesOnWhereItWas() throws IOException {
        AblationPlan plan = plan(YAML);
        List<String> all = ran(plan, directory.resolve("whole.json"), Integer.MAX_VALUE);
        assertThat(all).hasSize(8).doesNotHaveDuplicates();
        for (int killedAt = 0; killedAt < all.size(); killedAt++) {
            Path record = directory.resolve("stages-" + killedAt + ".json");
            List<String> before = ran(plan, record, killedAt);
            List<String> after = ran(plan, record, Integer.MAX_VALUE);
            assertThat(before).hasSize(killedAt + 1).isEqualTo(all.subList(0, killedAt + 1));
            assertThat(all).endsWith(after.toArray(String[]::new));
            assertThat(after).as("the command that was killed runs again").contains(all.get(killedAt));
            assertThat(ran(plan, record, Integer.MAX_VALUE))
                    .as("nothing is left")
                    .isEmpty();
        }
    }

    /** The commands that run until the one with this number, which is killed. */
    private static List<String> ran(AblationPlan plan, Path record, int killedAt) {
        StageRunner runner = new StageRunner(record, "again");
        List<String> ran = new ArrayList<>();
        CommandRunner recording = command -> {
            ran.add(Stage.typed(command));
            if (ran.size() > killedAt) {
                throw new IllegalStateException("killed");
            }
        };
        try {
            plan.steps()
                    .forEach(step ->
                            runner.run(step.stage(), recording, 1, plan.steps().size()));
        } catch (IllegalStateException killed) {
            assertThat(killed).hasMessage("killed");
        }
        return ran;
    }
}
