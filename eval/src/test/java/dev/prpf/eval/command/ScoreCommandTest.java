package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code eval score} in another process: what scripts see. */
@Tag("slow")
class ScoreCommandTest {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final List<String> KEYS = List.of(
            "n",
            "n_silent",
            "n_silent_matched",
            "malformed",
            "type_acc",
            "sr",
            "sr_act",
            "names_act",
            "ftr",
            "ftr_matched",
            "precision",
            "recall",
            "f1");
    private static final String ACTING = "[{\"instruction\":\"订票\",\"functions\":[{\"name\":\"book\",\"parameters\":"
            + "{\"from\":\"武汉\",\"seats\":2,\"note\":\"\"}}]}]";

    private static final String SILENT_S1 =
            "{\"id\":\"s1\",\"route\":\"silent\",\"p_trigger\":0.1,\"scenarios\":{},\"response\":null,\"calls\":[]}";

    private final Path directory = CommandWorker.emptyFolder();

    @BeforeEach
    void writeInputs() throws IOException {
        String parameter = "{\"description\":\"d\",\"type\":\"%s\",\"must_fill\":\"%s\",\"value\":\"non-enumerable\"}";
        write(
                "pool.json",
                "{\"book\":{\"name\":\"book\",\"description\":\"d\",\"similar\":[],\"parameters\":{\"from\":"
                        + parameter.formatted("string", "required") + ",\"seats\":"
                        + parameter.formatted("int", "required")
                        + ",\"note\":" + parameter.formatted("string", "optional") + "}}}");
        write(
                "gold.json",
                "[" + record("s1", 1, "[]") + "," + record("a1", 3, ACTING) + "," + record("a2", 3, ACTING) + "]");
        write(
                "scenarios.json",
                "{\"scenarios\":[{\"name\":\"Transportation\",\"chinese\":\"交通出行\"}],\"functions\":{\"book\":\"Transportation\"}}");
        write(
                "p.jsonl",
                SILENT_S1,
                "{\"id\":\"a1\",\"route\":\"reasoned\",\"p_trigger\":0.9,\"scenarios\":{},\"response\":\"r\",\"calls\":"
                        + "[[{\"name\":\"book\",\"parameters\":{\"from\":\"武汉\",\"seats\":2.0}}]]}",
                "{\"id\":\"a2\",\"route\":\"reasoned\",\"p_trigger\":0.9,\"scenarios\":{},\"response\":\"r\",\"calls\":null}");
    }

    private static String record(String id, int level, String answers) {
        return "{\"benchmark_metadata\":{\"id\":\"" + id + "\",\"difficulty_level\":" + level
                + "},\"reference_information\":{\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"打开应用 "
                + level + "\"]},\"recommendations\":" + answers + "}";
    }

    private void write(String name, String... lines) throws IOException {
        Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n");
    }

    private CommandProcess.Result score(String... more) {
        String[] base = {"eval", "score", "--gold", "gold.json", "--pool", "pool.json", "--predictions", "p.jsonl"};
        String[] all = new String[base.length + more.length];
        System.arraycopy(base, 0, all, 0, base.length);
        System.arraycopy(more, 0, all, base.length, more.length);
        return CommandWorker.run(all);
    }

    @Test
    void standardOutputIsTheContractsObjectAndNothingElse() throws IOException {
        CommandProcess.Result result = score("--json", "--scenarios", "scenarios.json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "overall",
                        "by_modality",
                        "by_difficulty",
                        "by_scenario",
                        "by_difficulty_and_modality",
                        "by_distribution",
                        "text_minus_multimodal",
                        "scenarios",
                        "best_match",
                        "gate",
                        "judge",
                        "verdicts",
                        "ci",
                        "errors");
        assertThat(json.at("/by_difficulty_and_modality/3/text").fieldNames())
                .toIterable()
                .containsExactlyElementsOf(KEYS);
        assertThat(json.at("/by_distribution").fieldNames()).toIterable().containsExactly("in");
        assertThat(json.at("/text_minus_multimodal/sr").isNull()).isTrue();
        assertThat(json.at("/best_match").fieldNames()).toIterable().containsExactly("prpf", "proactivemobile");
        assertThat(json.at("/gate/routed").doubleValue()).isEqualTo(200.0 / 3);
        assertThat(json.at("/ci/cluster_by").textValue()).isEqualTo("trajectory");
        assertThat(json.at("/ci/units").intValue())
                .as("those of one level begin with the same step")
                .isEqualTo(2);
        assertThat(json.get("overall").fieldNames()).toIterable().containsExactlyElementsOf(KEYS);
        assertThat(json.get("overall").get("n").intValue()).isEqualTo(3);
        assertThat(json.get("overall").get("malformed").intValue()).isEqualTo(1);
        assertThat(json.get("overall").get("sr").doubleValue()).isEqualTo(200.0 / 3);
        assertThat(json.get("overall").get("sr_act").doubleValue()).isEqualTo(50.0);
        assertThat(json.at("/by_modality/text/n").intValue()).isEqualTo(3);
        assertThat(json.at("/by_difficulty/3/ftr").isNull()).isTrue();
        assertThat(json.at("/by_scenario").fieldNames()).toIterable().containsExactly("Transportation", "none");
        assertThat(json.at("/ci/overall/sr").size()).isEqualTo(2);
    }

    @Test
    void withoutAScenarioMapThereAreNoScenarios() throws IOException {
        JsonNode json = JSON.readTree(score("--json").stdout());
        assertThat(json.get("by_scenario").isObject()).isTrue();
        assertThat(json.get("by_scenario").isEmpty()).isTrue();
    }

    @Test
    void predictionsMayComeThroughAPipe() throws IOException {
        ProcessBuilder fifo =
                new ProcessBuilder("mkfifo", directory.resolve("pipe").toString());
        assertThat(fifo.start().onExit().join().exitValue()).isZero();
        Thread writer = new Thread(() -> {
            try {
                Files.write(directory.resolve("pipe"), Files.readAllBytes(directory.resolve("p.jsonl")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.start();
        CommandProcess.Result result = CommandWorker.run(
                "eval", "score", "--gold=gold.json", "--pool=pool.json", "--predictions=pipe", "--json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(JSON.readTree(result.stdout()).at("/overall/n").intValue()).isEqualTo(3);
    }

    @Test
    void samplesMayBeTakenAsIndependentAndOtherScenariosAsUnseen() throws IOException {
        JsonNode json = JSON.readTree(
                score("--json", "--scenarios=scenarios.json", "--cluster-by=sample", "--unseen=Transportation,Other")
                        .stdout());
        assertThat(json.at("/ci/units").intValue()).isEqualTo(3);
        assertThat(json.at("/by_distribution/out/n").intValue()).isEqualTo(2);
        assertThat(json.at("/by_distribution/in/n").intValue()).isEqualTo(1);
    }

    @Test
    void ofOneSourceThereAreNoIntervalsAndThatIsSaid() throws IOException {
        JsonNode json = JSON.readTree(score("--json", "--cluster-by=profile").stdout());
        assertThat(json.at("/ci/units").intValue()).isEqualTo(1);
        assertThat(json.at("/ci/overall/sr").isNull()).isTrue();
        assertThat(score("--cluster-by=profile").stdout())
                .contains("Note: All samples come from one source (--cluster-by profile), so there are no intervals.");
    }

    @Test
    void withoutAGateThereIsNoTableOfItsDecisions() throws IOException {
        assertThat(JSON.readTree(score("--json", "--out=report").stdout())
                        .at("/gate/recall")
                        .doubleValue())
                .isEqualTo(100);
        assertThat(directory.resolve("report/report.md")).content().contains("The gate's decisions");
        String lines = Files.readString(directory.resolve("p.jsonl"));
        Files.writeString(directory.resolve("p.jsonl"), lines.replace("\"silent\"", "\"reasoned\""));
        JsonNode json = JSON.readTree(score("--json", "--out=report").stdout());
        assertThat(json.has("gate")).isTrue();
        assertThat(json.get("gate").isNull()).isTrue();
        assertThat(directory.resolve("report/report.md"))
                .content()
                .contains("All samples went to the reasoner: there was no gate, or all passed it.")
                .doesNotContain("The gate's decisions");
    }

    @Test
    void aConfigurationWithAnotherKThanANumberIsRefused() throws IOException {
        write("run.json", "{\"command\":\"eval run\",\"predictions\":\"p.jsonl\"}");
        write("config.resolved.yaml", "compress: true", "shortlist: 5x");
        CommandProcess.Result result = score("--out=report");
        assertThat(result.exitCode()).isEqualTo(65);
        assertThat(result.stderr())
                .contains(
                        "config.resolved.yaml: shortlist = 5x, must be a whole number of at least 1; restore the file");
        assertThat(score("--json").exitCode()).as("without a page nobody asks").isZero();
    }

    @Test
    void theReportIsWrittenInThreeForms() throws IOException {
        CommandProcess.Result result = score("--out", "report");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout()).contains("Type-Acc", "66.67", "By modality and difficulty", "Parse failure");
        assertThat(JSON.readTree(directory.resolve("report/report.json").toFile())
                        .at("/overall/n")
                        .intValue())
                .isEqualTo(3);
        assertThat(directory.resolve("report/report.md")).content().startsWith("# Scores of 3 samples");
        try (Stream<Path> files = Files.list(directory.resolve("report"))) {
            List<Path> harness = files.filter(file -> file.toString().matches(".*/(results|samples_gold)_.*"))
                    .sorted()
                    .toList();
            assertThat(harness).hasSize(2);
            JsonNode results = JSON.readTree(harness.get(0).toFile());
            assertThat(results.at("/results/gold/sr,none").doubleValue()).isEqualTo(2.0 / 3, within(1e-12));
            assertThat(results.at("/model_name").asText()).isEqualTo("p.jsonl");
            assertThat(Files.readAllLines(harness.get(1))).hasSize(3);
        }
        assertThat(directory.resolve("report/report.html"))
                .content()
                .contains("<svg", "</html>", "Published results", "PRPF (Ours)", "published")
                .contains("class=\"entry\"", "Parse failure; the best match is book")
                .containsOnlyOnce("<script")
                .doesNotContain("src=\"http", "href=\"http", "@import", "url(");
    }

    @Test
    void whatDoesNotFitIsRefusedAndNothingIsWritten() throws IOException {
        write("p.jsonl", SILENT_S1, SILENT_S1.replace("s1", "zz"));
        CommandProcess.Result result = score("--json", "--out", "report");
        assertThat(result.exitCode()).isEqualTo(65);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr()).contains("error: ", "gold.json", "p.jsonl", "without prediction: a1, a2", ": zz");
        assertThat(directory.resolve("report")).doesNotExist();
    }

    @Test
    void goldWithoutSamplesIsOneClearErrorAndNoScore() throws IOException {
        write("p.jsonl", SILENT_S1);
        for (String empty : List.of("[]", "", "\n")) {
            write("gold.json", empty);
            CommandProcess.Result result = score("--json", "--out", "report");
            assertThat(result.exitCode())
                    .as("\"%s\": %s", empty, result.stderr())
                    .isEqualTo(65);
            assertThat(result.stdout()).isEmpty();
            assertThat(result.stderr())
                    .containsOnlyOnce("error: ")
                    .contains("gold.json")
                    .doesNotContain("\tat ");
            assertThat(directory.resolve("report")).doesNotExist();
        }
    }

    @Test
    void unlabelledGoldIsRefused() throws IOException {
        write("gold.json", "[" + record("s1", 1, "[]").replace(",\"recommendations\":[]", "") + "]");
        write("p.jsonl", SILENT_S1);
        CommandProcess.Result result = score("--json");
        assertThat(result.exitCode()).isEqualTo(65);
        assertThat(result.stderr()).contains("unlabelled", "s1");
    }

    @Test
    void missingAndTornFilesAreOneClearError() throws IOException {
        Files.delete(directory.resolve("gold.json"));
        assertThat(score("--json").exitCode()).isEqualTo(65);
        write("gold.json", "[{\"benchmark_metadata\":");
        CommandProcess.Result torn = score("--json");
        assertThat(torn.exitCode()).isEqualTo(65);
        assertThat(torn.stderr()).contains("gold.json").doesNotContain("\tat ");
    }

    @Test
    void wrongUsageIsTwo() {
        assertThat(CommandWorker.run("eval", "score", "--gold", "gold.json").exitCode())
                .isEqualTo(2);
        CommandProcess.Result few = score("--resamples", "38");
        assertThat(few.exitCode()).isEqualTo(2);
        assertThat(few.stderr()).contains("--resamples = 38, must be at least 39: the ends of a 95 % interval");
    }

    @Test
    void scoresGoWithTheRunWhereItIsTracked() throws IOException {
        RunDescription run = new RunDescription("eval run", List.of("eval", "run"), "gate: true\n", Map.of());
        RunDirectory.open(directory, Resume.AUTO, run).close();
        CommandProcess.Result result = score("--out", ".", "--track", "tensorboard");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        try (Stream<Path> files = Files.list(directory.resolve("tensorboard"))) {
            assertThat(files).singleElement().satisfies(file -> assertThat(
                            Files.readString(file, StandardCharsets.ISO_8859_1))
                    .contains("overall/sr", "overall/type_acc", "config.resolved.yaml"));
        }
    }
}
