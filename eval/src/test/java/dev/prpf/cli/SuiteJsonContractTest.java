package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.eval.calls.MadeTasks;
import dev.prpf.eval.suite.MadeBenchmarks;
import dev.prpf.eval.world.EpisodesCommand;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The JSON of {@code eval suite}. */
@Tag("slow")
class SuiteJsonContractTest extends JsonContract {
    /** The text encoder of every build, the default without the profile that has the suites' own encoders. */
    private static final String BUILT_IN = "--text-encoder=bge-small-zh-v1.5";

    /** The smaller tests are {@link #evalSuiteKnowu} and {@code ProactiveBenchTasksTest.theJsonHasBothTables}. */
    @Test
    @Tag("nightly")
    void evalSuiteContextagent() throws IOException {
        MadeBenchmarks.contextAgent(directory.resolve("suites"));
        assertSuite(json("eval", "suite", "contextagent", "--data=suites", BUILT_IN), "contextagent", 30, 11);
    }

    @Test
    void evalSuiteKnowu() throws IOException {
        MadeBenchmarks.knowU(directory.resolve("suites"));
        EncoderSpec first = EncoderSpec.ofText("bge-small-en-v1.5");
        assumeTrue(
                catchThrowable(() -> first.requirePresent(EncoderPrecision.FP32)) != null,
                "skipped: built with the encoders");
        JsonNode json = json("eval", "suite", "knowu", "--data=suites");
        assertSuite(json, "knowu", 40, 11);
        assertThat(json.get("text_encoder").textValue()).startsWith("bge-small-zh-v1.5");
        assertThat(json.at("/notes/0").textValue())
                .contains(
                        "bge-small-en-v1.5, e5-small-v2, all-minilm-l6-v2",
                        "bge-small-zh-v1.5 is used instead",
                        "PRPF_PROFILE=cpu,encoders ./prpf");
    }

    /** The smaller tests are {@link #evalSuiteKnowu} and {@code ProactiveBenchTasksTest.theJsonHasBothTables}. */
    @Test
    @Tag("nightly")
    void evalSuiteProactivebench() throws IOException {
        MadeBenchmarks.proactiveBench(directory.resolve("suites"));
        JsonNode json = json("eval", "suite", "proactivebench", "--data=suites", BUILT_IN);

        assertSuite(json, "proactivebench", 36, 15);
        assertThat(json.at("/secondary/0/n").intValue()).isEqualTo(39);
        assertThat(json.get("rows"))
                .filteredOn(row -> row.get("kind").textValue().equals("published"))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.get("name").textValue()).isEqualTo("echo");
                    assertThat(row.get("n").intValue()).isEqualTo(35);
                    assertThat(row.get("auc").isNull()).isTrue();
                });
    }

    /** The smaller tests are {@link #evalSuiteKnowu} and {@code ProactiveBenchTasksTest.theJsonHasBothTables}. */
    @Test
    @Tag("nightly")
    void evalSuiteProactivebenchTasks() throws IOException {
        MadeBenchmarks.proactiveBench(directory.resolve("suites"));
        JsonNode json = json("eval", "suite", "proactivebench-tasks", "--data=suites");

        assertSuite(json, "proactivebench-tasks", 4, 16);
        assertThat(json.at("/secondary/0/n").intValue()).isEqualTo(41);
        assertThat(json.get("rows"))
                .filteredOn(row -> row.get("kind").textValue().equals("published"))
                .hasSize(5)
                .allSatisfy(row -> {
                    assertThat(row.get("n").intValue()).isEqualTo(120);
                    assertThat(row.get("auc").isNull()).isTrue();
                });
    }

    @Test
    void evalSuitePare() throws IOException {
        for (String name : List.of("taxi.yaml", "train.yaml")) {
            try (InputStream file = Objects.requireNonNull(EpisodesCommand.class.getResourceAsStream(name))) {
                Files.writeString(
                        directory.resolve(name),
                        new String(file.readAllBytes(), StandardCharsets.UTF_8)
                                .replace("app: taxi}", "app: taxi.yaml}"));
            }
        }
        JsonNode json = json("eval", "suite", "pare", "--data=.", "--agent=expected,silent", "--runs=1");
        assertThat(json.get("suite").textValue()).isEqualTo("pare");
        assertThat(json.get("rows")).hasSize(4);
        assertThat(json.at("/rows/1/primary").booleanValue()).isTrue();
        assertThat(json.at("/rows/1/success/value").doubleValue()).isEqualTo(100);
        assertThat(json.at("/rows/1/success/sem").isNull()).as("one run").isTrue();
        assertThat(json.at("/rows/3/success/value").doubleValue()).isZero();
        assertThat(json.at("/rows/3/accepted/value").isNull()).as("no proposal").isTrue();
        assertThat(json.at("/secondary/0/rows/0/name").textValue()).isEqualTo("Claude 4.5 Sonnet");
    }

    @Test
    void evalSuiteOfCallsWithoutAReasonerAndOfAFileOfAnswers() throws IOException {
        MadeTasks.bfcl(directory.resolve("suites"));
        MadeTasks.aceBench(directory.resolve("suites"));
        MadeTasks.hammerBench(directory.resolve("suites"));
        assertCalls(json("eval", "suite", "bfcl", "--data=suites"), "bfcl", 6, 4);
        assertCalls(json("eval", "suite", "acebench", "--data=suites"), "acebench", 8, 4);
        assertCalls(json("eval", "suite", "hammerbench", "--data=suites"), "hammerbench", 24, 4);

        List<String> answers = new ArrayList<>();
        for (String id :
                List.of("simple_0", "simple_1", "multiple_0", "parallel_0", "irrelevance_0", "irrelevance_1")) {
            answers.add("{\"id\": \"" + id + "\", \"calls\": []}");
        }
        Files.write(directory.resolve("silent.jsonl"), answers);
        JsonNode silent = json("eval", "suite", "bfcl", "--data=suites", "--responses=silent.jsonl");
        assertCalls(silent, "bfcl", 6, 5);
        assertThat(silent.get("reasoner").textValue()).isEqualTo("responses:silent.jsonl");
        assertThat(silent.at("/rows/0/ftr").doubleValue()).isZero();
    }

    @Test
    void evalSuiteOfCallsAnsweredByAModelGoesOnWhereItWas() throws IOException {
        MadeTasks.bfcl(directory.resolve("suites"));
        aSmallModel("suite-model");
        json(
                "reasoner",
                "adopt",
                "--config",
                CONFIGS.resolve("reasoner-adopt.yaml").toString(),
                "--reasoner=suite-model");
        List<String> command = List.of(
                "eval",
                "suite",
                "bfcl",
                "--data=suites",
                "--reasoner=suite-model",
                "--max-new=60",
                "--constrained",
                "--run-dir=suite-run");

        JsonNode json = json(command.toArray(String[]::new));
        assertCalls(json, "bfcl", 6, 5);
        assertThat(json.get("reasoner").textValue()).startsWith("local:suite-model:");
        Path predictions = directory.resolve("suite-run/predictions.jsonl");
        List<String> first = Files.readAllLines(predictions);
        assertThat(first).hasSize(6);
        assertThat(Files.readAllLines(directory.resolve("suite-run/verdicts.jsonl")))
                .hasSize(6);

        assertThat(json(command.toArray(String[]::new))).isEqualTo(json);
        assertThat(Files.readAllLines(predictions)).isEqualTo(first);
        List<String> other = new ArrayList<>(command);
        other.add("--max-new=61");
        other.remove("--max-new=60");
        assertThat(run(other.toArray(String[]::new)).exitCode()).isEqualTo(78);
    }

    @Test
    void evalSuiteWithoutANameListsThemAll() throws IOException {
        JsonNode json = json("eval", "suite");

        assertThat(keys(json)).containsExactly("suites");
        assertThat(json.get("suites")).hasSize(8).allSatisfy(suite -> assertThat(keys(suite))
                .containsExactly("name", "about", "repository", "commit", "licence", "get"));
    }

    private static void assertCalls(JsonNode json, String name, int n, int rows) {
        assertThat(keys(json))
                .containsExactly(
                        "suite", "text_encoder", "reasoner", "title", "n", "rows", "secondary", "inner", "notes");
        assertThat(json.get("suite").textValue()).isEqualTo(name);
        assertThat(json.get("text_encoder").isNull()).isTrue();
        assertThat(json.get("n").intValue()).isEqualTo(n);
        assertThat(json.get("rows"))
                .filteredOn(row -> row.get("primary").booleanValue())
                .hasSize(1);
        assertThat(json.get("rows")).hasSize(rows).allSatisfy(row -> {
            assertThat(keys(row))
                    .containsExactly(
                            "name",
                            "kind",
                            "primary",
                            "n",
                            "accuracy",
                            "accuracy_ci",
                            "category_accuracy",
                            "name_accuracy",
                            "precision",
                            "recall",
                            "f1",
                            "f1_ci",
                            "ftr",
                            "ftr_ci",
                            "malformed",
                            "conversations",
                            "progress",
                            "auc",
                            "ours_minus");
            assertThat(row.get("n").intValue()).isEqualTo(n);
        });
    }

    private static void assertSuite(JsonNode json, String name, int n, int rows) {
        assertThat(keys(json))
                .containsExactly(
                        "suite", "text_encoder", "reasoner", "title", "n", "rows", "secondary", "inner", "notes");
        assertThat(json.get("suite").textValue()).isEqualTo(name);
        assertThat(json.get("text_encoder").textValue()).startsWith("bge-small-zh-v1.5-fp32-");
        assertThat(json.get("n").intValue()).isEqualTo(n);
        assertThat(json.get("rows"))
                .filteredOn(row -> row.get("primary").booleanValue())
                .hasSize(1);
        assertThat(json.get("rows")).hasSize(rows).allSatisfy(row -> {
            assertThat(keys(row))
                    .containsExactly(
                            "name",
                            "kind",
                            "primary",
                            "n",
                            "precision",
                            "recall",
                            "recall_ci",
                            "f1",
                            "f1_ci",
                            "accuracy",
                            "ftr",
                            "ftr_ci",
                            "false_alarm",
                            "trigger_rate",
                            "auc",
                            "auc_ci",
                            "ours_minus");
            if (!row.get("kind").textValue().equals("published") || n != 4) {
                assertThat(row.get("n").intValue()).isBetween(n - 1, n);
            }
        });
        JsonNode lead = json.get("rows").findValues("ours_minus").stream()
                .filter(JsonNode::isObject)
                .reduce((first, last) -> last)
                .orElseThrow();
        assertThat(keys(lead)).containsExactly("f1", "f1_ci", "auc", "auc_ci");
        assertThat(lead.get("auc").doubleValue()).isBetween(-1.0, 1.0);
        assertThat(json.get("inner"))
                .allSatisfy(inner -> assertThat(keys(inner)).containsExactly("name", "auc"));
    }
}
