package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole pipeline in another process, on few samples: every stage, the JSON contract, a second start after the end. */
@Tag("slow")
class QuickstartCommandTest {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Path directory = CommandWorker.emptyFolder();

    /** With this seed, one of the test records has screenshots. */
    private static final List<String> SYNTHETIC = List.of(
            "data.synthetic.train=8",
            "data.synthetic.test=6",
            "data.synthetic.multimodal-share=0",
            "data.synthetic.test-multimodal-share=0.2");

    private CommandProcess.Result quickstart(String... more) {
        List<String> arguments = new ArrayList<>(List.of("quickstart", "--run-dir=q"));
        SYNTHETIC.forEach(set -> arguments.add("--set=" + set));
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
        assertThat(directory.resolve("q/work/data/test/images")).isNotEmptyDirectory();
        Path report = Path.of(json.get("report").textValue());
        assertThat(report).isAbsolute().content().contains("Limitations", "always_trigger", "</html>");

        CommandProcess.Result again = quickstart("--json");
        assertThat(again.exitCode()).as(again.stderr()).isZero();
        assertThat(JSON.readTree(again.stdout()).get("results")).isEqualTo(results);
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
                Stream.concat(SYNTHETIC.stream(), Stream.of("data.synthetic.train=" + train))
                        .toList());
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
