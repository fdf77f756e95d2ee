package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.training.MppRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.evaluation.classification.EvaluationBinary;
import org.nd4j.evaluation.classification.ROC;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The whole pipeline in another process, on few samples: every stage, the JSON contract, a second start after the end. */
@Tag("slow")
class QuickstartCommandTest {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Path directory = CommandWorker.emptyFolder();

    private CommandProcess.Result quickstart(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "quickstart",
                "--set=data.synthetic.train=8",
                "--set=data.synthetic.test=6",
                "--set=data.synthetic.multimodal-share=0.02",
                "--set=data.synthetic.test-multimodal-share=0",
                "--run-dir=q"));
        arguments.addAll(List.of(more));
        return CommandWorker.run(arguments.toArray(String[]::new));
    }

    private static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    @Test
    void theJsonContractHoldsAndTheReportIsThere() throws IOException {
        CommandProcess.Result result = quickstart("--json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(keys(json)).containsExactly("cascade", "seconds", "results", "gates", "report");
        assertThat(json.get("seconds")).isNotEmpty().allSatisfy(seconds -> assertThat(seconds.isNumber())
                .isTrue());
        JsonNode results = json.get("results");
        assertThat(keys(results)).containsExactly("cascade", "always_silent", "always_trigger", "random_function");
        assertThat(results).allSatisfy(system -> {
            assertThat(keys(system)).startsWith("n", "n_silent").contains("type_acc", "sr_act", "ftr_matched", "f1");
            assertThat(system.get("n").intValue()).isEqualTo(6);
        });
        assertThat(results.at("/always_silent/ftr").doubleValue()).isZero();
        assertThat(results.at("/always_trigger/ftr").doubleValue()).isEqualTo(100);
        assertThat(keys(json.get("gates"))).as("too few records for TF-IDF").containsExactly("perceiver");
        assertThat(json.get("gates"))
                .allSatisfy(gate -> assertThat(keys(gate)).containsExactly("recall", "specificity"));
        Path report = Path.of(json.get("report").textValue());
        assertThat(report).isAbsolute().content().contains("Limitations", "always_trigger", "</html>");

        CommandProcess.Result again = quickstart("--json");
        assertThat(again.exitCode()).as(again.stderr()).isZero();
        assertThat(JSON.readTree(again.stdout()).get("results")).isEqualTo(results);
        assertNd4jEvaluatesAlike(new MppRun.Single(directory.resolve("q/work/gate")));
    }

    /** Evaluates the perceiver's answers to its dev samples with ND4J. */
    private static void assertNd4jEvaluatesAlike(MppRun.Single run) {
        LabelledPerceptions dev = run.perceptions(Split.DEV);
        double tau = run.threshold().threshold();
        INDArray scores = Nd4j.createFromArray(dev.pTrigger()).reshape(-1, 1);
        INDArray labels =
                Nd4j.createFromArray(dev.acts()).castTo(DataType.DOUBLE).reshape(-1, 1);
        EvaluationBinary counts = new EvaluationBinary(Nd4j.createFromArray(tau).reshape(1, 1));
        counts.eval(labels, scores);
        assertThat(ConfusionMatrix.at(tau, dev.pTrigger(), dev.acts()))
                .isEqualTo(new ConfusionMatrix(
                        counts.truePositives(0),
                        counts.falsePositives(0),
                        counts.trueNegatives(0),
                        counts.falseNegatives(0)));
        ROC roc = new ROC(0); // exact
        roc.eval(labels, scores);
        assertThat(RocCurve.area(dev.pTrigger(), dev.acts())).isCloseTo(roc.calculateAUC(), within(1e-6));
    }

    @Test
    void aDryRunNamesTheCommandsAndDoesNothing() {
        CommandProcess.Result result = quickstart("--dry-run");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout())
                .contains(
                        "./prpf data synth",
                        "./prpf gate train",
                        "./prpf reasoner sft",
                        "./prpf reasoner grpo",
                        "./prpf eval run");
        assertThat(Files.exists(directory.resolve("q"))).isFalse();
    }

    @Test
    void aDryRunWithJsonIsOneObject() throws IOException {
        CommandProcess.Result result = quickstart("--dry-run", "--json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(keys(json)).containsExactly("dry_run", "run", "stages", "needs");
        assertThat(keys(json.get("stages")))
                .containsExactly("synth", "validate", "encode", "gate", "threshold", "init", "sft", "grpo", "cascade");
        assertThat(json.at("/stages/synth/0").textValue())
                .startsWith("./prpf data synth --lang zh --out q/work/data/train ");
        assertThat(directory.resolve("q")).doesNotExist();
    }

    @Test
    void aQuickstartOfOtherSettingsOrUnknownOriginIsNotGoneOnWith() throws IOException {
        Path run = Files.createDirectories(directory.resolve("q"));
        Files.writeString(run.resolve("stages.json"), "{\"synth\":1.0}");
        assertThat(refused()).contains("stages.json: no run.json next to it");
        Files.delete(run.resolve("stages.json"));

        begun(run, 7);
        assertThat(refused()).contains("another configuration");
        Files.delete(run.resolve("run.json"));
        begun(run, 8);
        assertThat(refused()).contains("gate_config_sha256 was \"0\" and now is", "sft_config_sha256 was absent");
        assertThat(run.resolve("work")).as("nothing was done").doesNotExist();
    }

    /** Writes the folder of a quickstart that was killed in its first stage, with another file of the gate's settings. */
    private static void begun(Path run, int train) {
        Path shipped = Path.of(System.getProperty("prpf.root", "..")).resolve("configs/quickstart.yaml");
        Recipe recipe = Recipe.read(
                shipped,
                List.of(
                        "data.synthetic.train=" + train,
                        "data.synthetic.test=6",
                        "data.synthetic.multimodal-share=0.02",
                        "data.synthetic.test-multimodal-share=0"));
        RunDirectory.open(
                        run,
                        Resume.AUTO,
                        new RunDescription(
                                "quickstart", List.of(), StrictYaml.write(recipe), Map.of("gate_config_sha256", "0")))
                .close();
    }

    private String refused() {
        CommandProcess.Result result = quickstart("--json");
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(78);
        assertThat(result.stdout()).isEmpty();
        return result.stderr();
    }
}
