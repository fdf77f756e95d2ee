package dev.prpf.eval.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.eval.CommandProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole pipeline in a process of its own, on few samples: every stage, the JSON contract, going on after the end. */
class QuickstartCommandTest {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @TempDir
    Path directory;

    private CommandProcess.Result quickstart(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "quickstart", "--set=train=64", "--set=test=20", "--set=train-multimodal-share=0.02", "--run-dir=q"));
        arguments.addAll(List.of(more));
        return CommandProcess.in(directory).run(arguments.toArray(String[]::new));
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
        assertThat(keys(json)).containsExactly("seconds", "results", "gates", "report");
        assertThat(json.get("seconds")).isNotEmpty().allSatisfy(seconds -> assertThat(seconds.isNumber())
                .isTrue());
        JsonNode results = json.get("results");
        assertThat(keys(results)).containsExactly("cascade", "always_silent", "always_trigger", "random_function");
        assertThat(results).allSatisfy(system -> {
            assertThat(keys(system)).startsWith("n", "n_silent").contains("type_acc", "sr_act", "ftr_matched", "f1");
            assertThat(system.get("n").intValue()).isEqualTo(20);
        });
        assertThat(results.at("/always_silent/ftr").doubleValue()).isZero();
        assertThat(results.at("/always_trigger/ftr").doubleValue()).isEqualTo(100);
        assertThat(keys(json.get("gates"))).containsExactly("mpp", "tfidf_lr");
        assertThat(json.get("gates"))
                .allSatisfy(gate -> assertThat(keys(gate)).containsExactly("recall", "specificity"));
        Path report = Path.of(json.get("report").textValue());
        assertThat(report).isAbsolute().content().contains("What it cannot do", "always_trigger", "</html>");

        CommandProcess.Result again = quickstart("--json");
        assertThat(again.exitCode()).as(again.stderr()).isZero();
        assertThat(JSON.readTree(again.stdout()).get("results")).isEqualTo(results);
    }

    @Test
    void aDryRunNamesTheCommandsAndDoesNothing() {
        CommandProcess.Result result = quickstart("--dry-run");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout())
                .contains("./prpf data synth", "./prpf mpp train", "./prpf par sft", "./prpf eval run");
        assertThat(Files.exists(directory.resolve("q"))).isFalse();
    }
}
