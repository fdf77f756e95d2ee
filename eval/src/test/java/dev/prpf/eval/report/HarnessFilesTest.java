package dev.prpf.eval.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Read back against what lm-evaluation-harness 0.4 writes and its readers expect. */
class HarnessFilesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FunctionPool POOL = new FunctionPool(List.of(
            new FunctionSpec("book", "books", List.of(), List.of()),
            new FunctionSpec("play", "plays", List.of(), List.of())));
    private static final String RESULTS = "results_2026-01-02T03-04-05.678000.json";
    private static final String SAMPLES = "samples_benchmark_zh_2026-01-02T03-04-05.678000.jsonl";

    @TempDir
    private Path directory;

    private final List<Sample> gold = new ArrayList<>();
    private final Map<String, Prediction> predictions = new LinkedHashMap<>();
    private Scores scores;

    private static List<FunctionCall> call(String name, String value) {
        return List.of(new FunctionCall(name, Map.of("p", new TextNode(value))));
    }

    private void add(String id, TraceStep step, List<List<FunctionCall>> answers, Prediction prediction) {
        gold.add(new Sample(
                id,
                2,
                null,
                null,
                new DeviceContext("p", "d", "w"),
                new Trajectory(List.of(step)),
                answers.stream().map(calls -> new Recommendation("", calls)).toList()));
        predictions.put(id, prediction);
    }

    @BeforeEach
    void write() {
        Map<String, Double> scenarios = Map.of("Media", 0.9);
        add(
                "silent",
                new TraceStep.Screenshot("shots/1.png"),
                List.of(),
                new Prediction("silent", Route.SILENT, 0.1, scenarios, null, List.of()));
        add(
                "right",
                new TraceStep.Caption("opens <maps>"),
                List.of(call("book", "x"), List.of()),
                new Prediction("right", Route.REASONED, 0.8, scenarios, "raw", List.of(call("book", "x"))));
        add(
                "other",
                new TraceStep.Caption("opens music"),
                List.of(call("play", "x")),
                new Prediction("other", Route.REASONED, 0.8, scenarios, "raw", List.of(call("play", "y"))));
        add(
                "malformed",
                new TraceStep.Caption("opens mail"),
                List.of(call("play", "x")),
                new Prediction("malformed", Route.REASONED, 0.8, scenarios, "raw", null));
        scores = new Scorer(null, Judge.standard(), new Bootstrap(50, 7, 95)).score(gold, predictions, POOL);
        new HarnessFiles(
                        "runs/a:b",
                        Path.of("data", "benchmark_zh.json"),
                        Map.of("judge", "exact"),
                        Instant.parse("2026-01-02T03:04:05.678Z"))
                .write(directory, scores, gold.iterator(), predictions::get);
    }

    private JsonNode results() {
        return JsonFile.read(directory.resolve(RESULTS));
    }

    private List<JsonNode> samples() throws IOException {
        List<JsonNode> samples = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve(SAMPLES))) {
            samples.add(JSON.readTree(line));
        }
        return samples;
    }

    @Test
    void bothFilesHaveTheHarnesssNamesAndNothingElseIsWritten() throws IOException {
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> String.valueOf(file.getFileName())))
                    .containsExactlyInAnyOrder(RESULTS, SAMPLES);
        }
    }

    @Test
    void resultsHaveTheHarnesssKeys() {
        JsonNode results = results();
        assertThat(results.fieldNames())
                .toIterable()
                .containsExactly(
                        "results",
                        "group_subtasks",
                        "configs",
                        "versions",
                        "n-shot",
                        "higher_is_better",
                        "n-samples",
                        "config",
                        "git_hash",
                        "date",
                        "model_source",
                        "model_name",
                        "model_name_sanitized");
        for (String byTask : List.of(
                "results", "group_subtasks", "configs", "versions", "n-shot", "higher_is_better", "n-samples")) {
            assertThat(results.get(byTask).fieldNames()).toIterable().as(byTask).containsExactly("benchmark_zh");
        }
        assertThat(results.at("/versions/benchmark_zh").intValue()).isEqualTo(1);
        assertThat(results.at("/n-shot/benchmark_zh").intValue()).isZero();
        assertThat(results.at("/n-samples/benchmark_zh").toString()).isEqualTo("{\"original\":4,\"effective\":4}");
        assertThat(results.at("/higher_is_better/benchmark_zh/sr").booleanValue())
                .isTrue();
        assertThat(results.at("/higher_is_better/benchmark_zh/ftr").booleanValue())
                .isFalse();
        assertThat(results.path("date").doubleValue()).isEqualTo(1_767_323_045.678, within(1e-3));
        assertThat(results.path("model_name").asText()).isEqualTo("runs/a:b");
        assertThat(results.path("model_name_sanitized").asText()).isEqualTo("runs__a__b");
        assertThat(results.path("config").fieldNames())
                .toIterable()
                .containsExactly(
                        "model",
                        "model_args",
                        "batch_size",
                        "device",
                        "use_cache",
                        "limit",
                        "bootstrap_iters",
                        "gen_kwargs",
                        "random_seed");
        assertThat(results.at("/config/model_args/judge").asText()).isEqualTo("exact");
        assertThat(results.at("/config/bootstrap_iters").intValue()).isEqualTo(50);
        JsonNode task = results.at("/configs/benchmark_zh");
        assertThat(task.fieldNames())
                .toIterable()
                .containsExactly("task", "dataset_path", "output_type", "num_fewshot", "metric_list", "metadata");
        assertThat(task.path("output_type").asText()).isEqualTo("generate_until");
        assertThat(task.at("/metric_list/0").toString())
                .isEqualTo("{\"metric\":\"type_acc\",\"aggregation\":\"mean\",\"higher_is_better\":true}");
        assertThat(task.at("/metadata/judge").asText()).isEqualTo("exact");
    }

    @Test
    void aMetricIsTheMeanOfItsLinesAndThatOfTheReport() throws IOException {
        JsonNode task = results().at("/results/benchmark_zh");
        assertThat(task.path("alias").asText()).isEqualTo("benchmark_zh");
        for (Metric metric : Metric.values()) {
            double mean = samples().stream()
                    .filter(line -> line.has(metric.key()))
                    .mapToDouble(line -> line.get(metric.key()).doubleValue())
                    .average()
                    .orElseThrow();
            assertThat(task.path(metric.key() + ",none").doubleValue())
                    .as(metric.key())
                    .isEqualTo(mean, within(1e-12))
                    .isEqualTo(Objects.requireNonNull(scores.overall().get(metric)) / 100, within(1e-12));
        }
        assertThat(task.path("sr,none").doubleValue()).isEqualTo(0.5);
        assertThat(task.path("sr_stderr,none").doubleValue())
                .as("of 1, 1, 0, 0: a deviation of 0.577, over the root of 4")
                .isEqualTo(Math.sqrt(1.0 / 3) / 2, within(1e-12));
        assertThat(task.path("ftr_stderr,none").asText()).as("of one sample").isEqualTo("N/A");
        assertThat(task.path("malformed,none").doubleValue()).isEqualTo(0.25);
    }

    @Test
    void aLineHasTheHarnesssKeysAndTheMetricsThatCountTheSample() throws IOException {
        JsonNode line = samples().get(1);
        assertThat(line.fieldNames())
                .toIterable()
                .containsExactly(
                        "doc_id",
                        "doc",
                        "target",
                        "arguments",
                        "resps",
                        "filtered_resps",
                        "filter",
                        "metrics",
                        "doc_hash",
                        "prompt_hash",
                        "target_hash",
                        "type_acc",
                        "sr",
                        "sr_act",
                        "names_act",
                        "precision",
                        "recall",
                        "f1",
                        "malformed");
        assertThat(line.get("metrics"))
                .extracting(JsonNode::asText)
                .doesNotContain("ftr")
                .contains("sr", "malformed");
        assertThat(line.path("doc_id").intValue()).isEqualTo(1);
        assertThat(line.at("/doc/benchmark_metadata/id").asText()).isEqualTo("right");
        assertThat(line.at("/doc/reference_information/trace/0").asText()).isEqualTo("opens <maps>");
        assertThat(line.path("target").asText()).isEqualTo("[[{\"name\":\"book\",\"parameters\":{\"p\":\"x\"}}],[]]");
        assertThat(line.at("/arguments/gen_args_0/arg_0").isNull()).isTrue();
        assertThat(line.at("/arguments/gen_args_0/arg_1").toString())
                .isEqualTo("{\"route\":\"reasoned\",\"p_trigger\":0.8,\"scenarios\":{\"Media\":0.9}}");
        assertThat(line.path("resps").toString()).isEqualTo("[[\"raw\"]]");
        assertThat(line.at("/filtered_resps/0").asText())
                .isEqualTo("[{\"name\":\"book\",\"parameters\":{\"p\":\"x\"}}]");
        assertThat(line.path("filter").asText()).isEqualTo("none");
        assertThat(line.path("doc_hash").asText())
                .isEqualTo(AtomicFiles.sha256(line.get("doc").toString().getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void silenceAScreenshotAndAMalformedResponseAreSaidAsWhatTheyAre() throws IOException {
        JsonNode silent = samples().get(0);
        assertThat(silent.path("resps").toString()).isEqualTo("[[null]]");
        assertThat(silent.path("filtered_resps").toString()).isEqualTo("[\"[]\"]");
        assertThat(silent.path("target").asText()).isEqualTo("[[]]");
        assertThat(silent.path("ftr").doubleValue()).isZero();
        assertThat(silent.has("sr_act")).isFalse();
        assertThat(silent.at("/doc/reference_information/trace").toString())
                .as("of a screenshot its path alone")
                .isEqualTo("[{\"source\":\"picture\",\"picture\":\"shots/1.png\"}]");
        JsonNode malformed = samples().get(3);
        assertThat(malformed.path("filtered_resps").toString()).isEqualTo("[null]");
        assertThat(malformed.path("malformed").doubleValue()).isEqualTo(1);
    }

    @Test
    void aNameStaysInItsFolder() {
        assertThat(HarnessFiles.sanitized("Qwen/Qwen3.5-9B")).isEqualTo("Qwen__Qwen3.5-9B");
        assertThat(HarnessFiles.sanitized("..")).isEqualTo("__");
        assertThat(HarnessFiles.sanitized("../x")).isEqualTo("..__x");
        assertThat(HarnessFiles.sanitized("seeds #1")).isEqualTo("seeds #1");
    }
}
