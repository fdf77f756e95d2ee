package dev.prpf.eval.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.io.RecordJson;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.jspecify.annotations.Nullable;

/**
 * Writes the scores of one system in the format of lm-evaluation-harness 0.4 (EleutherAI): {@code results_DATE.json} and {@code
 * samples_TASK_DATE.jsonl}. Metrics are fractions from 0 to 1 as there; a metric's result is the mean over the lines that have it.
 *
 * @param model the system's name
 * @param gold the file of labelled samples; its name without the extension is the task's name
 * @param arguments origin of the scores, label to value; written as {@code config.model_args}
 * @param date of the evaluation
 */
public record HarnessFiles(String model, Path gold, Map<String, String> arguments, Instant date) {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String MALFORMED = "malformed";
    /** Version of the task, which changes with its metrics. */
    private static final int VERSION = 1;

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH-mm-ss.SSSSSS").withZone(ZoneOffset.UTC);

    /** Makes a name safe as part of a path by the harness's own rule; path traversal becomes "__", too. */
    public static String sanitized(String name) {
        String safe = name.replaceAll("[\"<>:/|\\\\?*\\[\\]]+", "__");
        return StringUtils.containsOnly(safe, '.') ? "__" : safe;
    }

    private String task() {
        return StringUtils.substringBeforeLast(String.valueOf(gold.getFileName()), ".");
    }

    /**
     * Writes both files, each whole or not at all; memory holds one sample.
     *
     * @param directory for both files; older ones are kept
     * @param scores of the samples
     * @param samples the gold set, in the order of the scores
     * @param predictions by id
     * @throws PrpfException 69 if nothing can be written there
     */
    public void write(
            Path directory,
            Scores scores,
            Iterator<Sample> samples,
            Function<String, @Nullable Prediction> predictions) {
        String when = DATE.format(date);
        Map<String, SummaryStatistics> sums = new LinkedHashMap<>();
        higherIsBetter().keySet().forEach(metric -> sums.put(metric, new SummaryStatistics()));
        AtomicFiles.write(directory.resolve("samples_" + sanitized(task()) + "_" + when + ".jsonl"), out -> {
            for (int i = 0; samples.hasNext(); i++) {
                Sample sample = samples.next();
                Prediction prediction = Objects.requireNonNull(predictions.apply(sample.id()), sample.id());
                Map<String, Double> values = values(scores.samples().get(i));
                values.forEach((metric, value) ->
                        Objects.requireNonNull(sums.get(metric)).addValue(value));
                String line = line(i, sample, prediction, values) + "\n";
                out.write(line.getBytes(StandardCharsets.UTF_8));
            }
        });
        AtomicFiles.writeText(
                directory.resolve("results_" + when + ".json"),
                results(scores, sums).toPrettyString());
    }

    private static Map<String, Boolean> higherIsBetter() {
        Map<String, Boolean> better = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            better.put(metric.key(), metric.higherIsBetter());
        }
        better.put(MALFORMED, false);
        return better;
    }

    private static Map<String, Double> values(SampleScore score) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (metric.counts(score)) {
                values.put(metric.key(), metric.value(score));
            }
        }
        values.put(MALFORMED, score.malformed() ? 1.0 : 0.0);
        return values;
    }

    /** Returns a sample's line. Lists have one element: one request a sample, one response a request. Predictions keep no prompt: null. */
    private static ObjectNode line(int index, Sample sample, Prediction prediction, Map<String, Double> values) {
        JsonNode doc = RecordJson.write(sample);
        String target = JsonRecords.write(sample.validSequences());
        List<FunctionCall> scored = prediction.scored();
        ObjectNode line = NODES.objectNode().put("doc_id", index).set("doc", doc);
        line.put("target", target);
        ObjectNode request = line.putObject("arguments").putObject("gen_args_0").putNull("arg_0");
        request.putObject("arg_1")
                .<ObjectNode>set("route", JsonRecords.tree(prediction.route()))
                .put("p_trigger", prediction.pTrigger())
                .set("scenarios", JsonRecords.tree(prediction.scenarios()));
        line.putArray("resps").addArray().add(prediction.response());
        line.putArray("filtered_resps").add(scored == null ? null : JsonRecords.write(scored));
        line.put("filter", "none");
        line.set("metrics", JsonRecords.tree(values.keySet()));
        line.put("doc_hash", sha256(doc.toString())).putNull("prompt_hash").put("target_hash", sha256(target));
        values.forEach(line::put);
        return line;
    }

    private static String sha256(String text) {
        return AtomicFiles.sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the results: the harness's keys that apply here, most of them by task. */
    private ObjectNode results(Scores scores, Map<String, SummaryStatistics> sums) {
        int n = scores.samples().size();
        ObjectNode results = NODES.objectNode();
        results.putObject("results").set(task(), means(sums));
        results.putObject("group_subtasks").putArray(task());
        results.putObject("configs").set(task(), taskConfig(scores));
        results.putObject("versions").put(task(), VERSION);
        results.putObject("n-shot").put(task(), 0);
        results.putObject("higher_is_better").set(task(), JsonRecords.tree(higherIsBetter()));
        results.putObject("n-samples").putObject(task()).put("original", n).put("effective", n);
        ObjectNode config = results.putObject("config").put("model", model);
        config.set("model_args", JsonRecords.tree(arguments));
        List.of("batch_size", "device", "use_cache", "limit").forEach(config::putNull);
        config.put("bootstrap_iters", scores.bootstrap().resamples()); // for the intervals of report.json
        config.putNull("gen_kwargs").put("random_seed", scores.bootstrap().seed());
        return results.put("git_hash", System.getProperty("prpf.revision", "unknown"))
                .put("date", date.toEpochMilli() / 1e3)
                .put("model_source", "prpf")
                .put("model_name", model)
                .put("model_name_sanitized", sanitized(model));
    }

    /** Returns the means, null without samples, with their standard errors of independent samples as in the harness, "N/A" for one. */
    private ObjectNode means(Map<String, SummaryStatistics> sums) {
        ObjectNode means = NODES.objectNode().put("alias", task());
        sums.forEach((metric, values) -> {
            long n = values.getN();
            means.put(metric + ",none", n == 0 ? null : (Double) values.getMean());
            if (n < 2) {
                means.put(metric + "_stderr,none", "N/A");
            } else {
                means.put(metric + "_stderr,none", values.getStandardDeviation() / Math.sqrt((double) n));
            }
        });
        return means;
    }

    private ObjectNode taskConfig(Scores scores) {
        ObjectNode config = NODES.objectNode().put("task", task()).put("dataset_path", gold.toString());
        ArrayNode metrics = config.put("output_type", "generate_until")
                .put("num_fewshot", 0)
                .putArray("metric_list");
        higherIsBetter().forEach((metric, better) -> metrics.addObject()
                .put("metric", metric)
                .put("aggregation", "mean")
                .put("higher_is_better", better));
        config.putObject("metadata").put("version", VERSION).put("judge", scores.judge());
        return config;
    }
}
