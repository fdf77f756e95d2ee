package dev.prpf.eval.harness;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Scores;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code results_DATE.json}: the harness's keys that apply here. All maps are by task and have one entry.
 *
 * @param results the mean as {@code METRIC,none}, its standard error as {@code METRIC_stderr,none}, for independent samples as in the harness;
 *     null without samples, "N/A" for one
 * @param groupSubtasks empty for every task
 * @param versions of the task; changes with its metrics
 * @param nShot examples in a prompt
 * @param higherIsBetter by metric
 * @param nSamples all are evaluated
 * @param config settings of the evaluation
 * @param gitHash the program's revision
 * @param date seconds since 1970
 * @param modelSource the program
 * @param modelName the system's
 * @param modelNameSanitized the system's name as a file name
 */
record HarnessResults(
        Map<String, Map<String, @Nullable Object>> results,
        Map<String, List<String>> groupSubtasks,
        Map<String, TaskConfig> configs,
        Map<String, Integer> versions,
        @JsonProperty("n-shot") Map<String, Integer> nShot,
        Map<String, Map<String, Boolean>> higherIsBetter,
        @JsonProperty("n-samples") Map<String, Counts> nSamples,
        Config config,
        String gitHash,
        double date,
        String modelSource,
        String modelName,
        String modelNameSanitized) {
    private static final int VERSION = 1;
    private static final String SOURCE = "prpf";

    record Counts(int original, int effective) {}

    record TaskConfig(
            String task,
            String datasetPath,
            String outputType,
            int numFewshot,
            List<MetricConfig> metricList,
            Metadata metadata) {}

    record MetricConfig(String metric, String aggregation, boolean higherIsBetter) {}

    /** @param judge of functional equivalence, for SR */
    record Metadata(int version, String judge) {}

    /**
     * @param bootstrapIters draws for the intervals of report.json; the standard errors here need none
     */
    record Config(
            String model,
            Map<String, String> modelArgs,
            @Nullable String batchSize,
            @Nullable String device,
            @Nullable String useCache,
            @Nullable Double limit,
            int bootstrapIters,
            @Nullable String genKwargs,
            long randomSeed) {}

    static final class Sums {
        private final Map<String, SummaryStatistics> byMetric = new LinkedHashMap<>();
        private int lines;

        Sums() {
            metrics().forEach(metric -> byMetric.put(metric.metric(), new SummaryStatistics()));
        }

        void add(HarnessSample line) {
            lines++;
            line.values().forEach((metric, value) -> byMetric.computeIfAbsent(metric, unseen -> new SummaryStatistics())
                    .addValue(value));
        }

        int lines() {
            return lines;
        }

        private Map<String, @Nullable Object> results(String task) {
            Map<String, @Nullable Object> results = new LinkedHashMap<>();
            results.put("alias", task);
            byMetric.forEach((metric, values) -> {
                long n = values.getN();
                results.put(metric + "," + HarnessSample.NO_FILTER, n == 0 ? null : values.getMean());
                results.put(
                        metric + "_stderr," + HarnessSample.NO_FILTER,
                        n < 2 ? "N/A" : values.getStandardDeviation() / Math.sqrt((double) n));
            });
            return results;
        }
    }

    static HarnessResults of(HarnessFiles files, Scores scores, Sums sums) {
        String task = files.task();
        Map<String, Boolean> better = new LinkedHashMap<>();
        metrics().forEach(metric -> better.put(metric.metric(), metric.higherIsBetter()));
        return new HarnessResults(
                Map.of(task, sums.results(task)),
                Map.of(task, List.of()),
                Map.of(
                        task,
                        new TaskConfig(
                                task,
                                files.gold().toString(),
                                "generate_until",
                                0,
                                metrics(),
                                new Metadata(VERSION, scores.judge()))),
                Map.of(task, VERSION),
                Map.of(task, 0),
                Map.of(task, better),
                Map.of(task, new Counts(sums.lines(), sums.lines())),
                new Config(
                        files.model(),
                        files.arguments(),
                        null,
                        null,
                        null,
                        null,
                        scores.bootstrap().resamples(),
                        null,
                        scores.bootstrap().seed()),
                System.getProperty("prpf.revision", "unknown"),
                files.date().toEpochMilli() / 1e3,
                SOURCE,
                files.model(),
                HarnessFiles.sanitized(files.model()));
    }

    private static List<MetricConfig> metrics() {
        return Stream.concat(
                        Stream.of(Metric.values())
                                .map(metric -> new MetricConfig(metric.key(), "mean", metric.higherIsBetter())),
                        Stream.of(new MetricConfig(HarnessSample.MALFORMED, "mean", false)))
                .toList();
    }
}
