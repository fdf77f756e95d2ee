package dev.prpf.eval.ablate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.SystemScores.ScoredRun;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.cascade.PredictionCost.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Twenty samples, the first eight with a screenshot; even ones want silence, odd ones the call. */
class AblationReportTest {
    @Command(
            name = "prpf",
            subcommands = {EvalCommand.class})
    private static final class Commands {}

    private static final int N = 20;
    private static final List<FunctionCall> CALL = List.of(new FunctionCall("a", Map.of()));
    private static final FunctionPool POOL =
            new FunctionPool(List.of(new FunctionSpec("a", "does a", List.of(), List.of())));
    private static final String YAML =
            """
            places: {}
            options: {}
            scoring: {gold: gold.json, pool: pool.json, scenarios: null, resamples: 200, seed: 1, cluster-by: sample}
            store: store
            models: {}
            every-run: --data gold.json
            runs:
              full: {arguments: "--reasoner full", seeds: [], costs: true}
              single: {arguments: "--reasoner single", seeds: [], costs: true}
              drawn: {arguments: "--reasoner drawn --seed {seed}", seeds: [1, 2], costs: false}
              silent: {arguments: "--reasoner silent", seeds: [], costs: false}
            tables:
              table2:
                - {name: "Full", runs: [full], against: null}
                - {name: "w/o MPP", runs: [single], against: "Full"}
                - {name: "w/o PAR", runs: [silent], against: "Full"}
              table3:
                - {name: "alone", runs: [single], against: null}
              table10:
                - {name: "single stage", runs: [single], against: null}
                - {name: "Full", runs: [full], against: "single stage"}
              pm-t5:
                - {name: "Rec.+Func.", runs: [drawn], against: null}
                - {name: "Func.", runs: [silent], against: "Rec.+Func."}
              pm-t7:
                - {name: "all", runs: [drawn], against: null}
            """;

    @TempDir
    Path directory;

    private AblationPlan plan;
    private AblationReport report;

    private static List<Sample> gold() {
        List<Sample> gold = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            Trajectory trajectory = i < 8
                    ? new Trajectory(List.of(new TraceStep.Screenshot(i + ".png")))
                    : Trajectory.ofTexts(List.of("moment " + i));
            gold.add(new Sample(
                    "s" + i,
                    1,
                    null,
                    null,
                    new DeviceContext("p", "d", "w"),
                    trajectory,
                    i % 2 == 0 ? List.of() : List.of(new Recommendation("", CALL))));
        }
        return gold;
    }

    /** Makes predictions that act where the predicate holds, each with this cost in operations and milliseconds. */
    private static List<Prediction> predictions(IntPredicate acts, double cost) {
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            Parts flops = Parts.of(0, 0, 0, cost, 0);
            PredictionCost costs = new PredictionCost(10, 0, 0, 2, 2, flops, flops.times(1e-3));
            List<List<FunctionCall>> calls = acts.test(i) ? List.of(CALL) : List.of();
            predictions.add(new Prediction("s" + i, Route.REASONED, null, Map.of(), "r", calls, null, costs));
        }
        return predictions;
    }

    private void wrote(Map<Path, ScoredRun> scored, Path file, List<Prediction> predictions, double memory) {
        Path folder = Objects.requireNonNull(file.getParent());
        RunDescription description = new RunDescription("eval run", List.of(), "a: 1\n", Map.of());
        try (RunDirectory run = RunDirectory.open(folder, Resume.NEVER, description)) {
            Prediction.write(file, predictions);
            run.finish(Map.of("peak_memory_mb", memory, "reasoner_memory_mb", memory));
        }
        Map<String, Prediction> byId = new LinkedHashMap<>();
        predictions.forEach(prediction -> byId.put(prediction.id(), prediction));
        scored.put(
                file,
                new ScoredRun(
                        RunFiles.of(file),
                        "sha",
                        new Scorer(null, Judge.standard(), new Bootstrap(200, 1, 95)).score(gold(), byId, POOL)));
    }

    @BeforeEach
    void predicted() {
        AblateConfig config = StrictYaml.readText("a.yaml", YAML, AblateConfig.class, List.of());
        plan = AblationPlan.of("a.yaml", config, directory, directory, new CommandLine(new Commands()));
        Map<Path, ScoredRun> scored = new LinkedHashMap<>();
        Path runs = directory.resolve("runs");
        // right everywhere; speaks everywhere; right on texts, then on the first ten; never speaks
        wrote(scored, runs.resolve("full/predictions.jsonl"), predictions(i -> i % 2 == 1, 300), 50);
        wrote(scored, runs.resolve("single/predictions.jsonl"), predictions(i -> true, 1000), 40);
        wrote(scored, runs.resolve("drawn/seed-1/predictions.jsonl"), predictions(i -> i >= 8 && i % 2 == 1, 1), 1);
        wrote(scored, runs.resolve("drawn/seed-2/predictions.jsonl"), predictions(i -> i < 10 && i % 2 == 1, 1), 1);
        wrote(scored, runs.resolve("silent/predictions.jsonl"), predictions(i -> false, 1), 1);
        report = AblationReport.of(plan, scored);
    }

    private JsonNode json() {
        return JsonRecords.tree(report);
    }

    @Test
    void rowsHaveTheMetricsOfTheirRuns() {
        JsonNode rows = json().at("/tables/table2");
        assertThat(rows.findValuesAsText("name")).containsExactly("Full", "w/o MPP", "w/o PAR");
        assertThat(rows.at("/0/n").intValue()).isEqualTo(N);
        assertThat(rows.at("/0/sr").doubleValue()).isEqualTo(100);
        assertThat(rows.at("/0/type_acc").doubleValue()).isEqualTo(100);
        assertThat(rows.at("/0/ftr").doubleValue()).isZero();
        assertThat(rows.at("/1/sr").doubleValue()).isEqualTo(50);
        assertThat(rows.at("/1/ftr").doubleValue()).isEqualTo(100);
        assertThat(rows.at("/2/sr").doubleValue()).isEqualTo(50);
        assertThat(rows.at("/2/sr_act").doubleValue()).isZero();
        assertThat(rows.at("/1/ci/sr")).hasSize(2);
        assertThat(rows.at("/1/ci/sr/0").doubleValue()).isBetween(20.0, 40.0);
        assertThat(rows.at("/0/over_seeds").isNull()).isTrue();
        assertThat(rows.at("/0/by_modality/multimodal/n").intValue()).isEqualTo(8);
        assertThat(rows.at("/0/by_modality/text/n").intValue()).isEqualTo(12);
    }

    @Test
    void aRowIsHeldAgainstTheOneItNames() {
        JsonNode rows = json().at("/tables/table2");
        assertThat(rows.at("/0/comparison").isNull()).isTrue();
        JsonNode sr = rows.at("/1/comparison/metrics/sr");
        assertThat(rows.at("/1/comparison/first").textValue()).isEqualTo("Full");
        assertThat(sr.at("/difference").doubleValue()).isEqualTo(-50);
        // only the full system has ten samples right: p = 2 / 2^10; two rows are tested, so Holm doubles it
        assertThat(sr.at("/mcnemar/p").doubleValue()).isCloseTo(2 / 1024.0, within(1e-9));
        assertThat(sr.at("/mcnemar/p_holm").doubleValue()).isCloseTo(4 / 1024.0, within(1e-9));
        assertThat(json().at("/tables/pm_t5/1/comparison/metrics/sr/mcnemar").isNull())
                .as("no test against several seeds")
                .isTrue();
    }

    @Test
    void severalSeedsAreMeanAndDeviation() {
        JsonNode row = json().at("/tables/pm_t5/0");
        // silent everywhere it should be: 10; acting: texts 9 to 19 (6 of 10), then 1 to 9 (5 of 10)
        assertThat(row.at("/sr").doubleValue()).isCloseTo((80 + 75) / 2.0, within(1e-9));
        assertThat(row.at("/over_seeds/sr/std").doubleValue()).isCloseTo(5 / Math.sqrt(2), within(1e-9));
        assertThat(row.at("/over_seeds/sr/runs").intValue()).isEqualTo(2);
        assertThat(row.at("/ci").isNull()).isTrue();
        assertThat(row.at("/by_modality/text/over_seeds/sr/mean").doubleValue())
                .isCloseTo(100 * (12 + 7) / 24.0, within(1e-9));
        assertThat(row.at("/runs")).hasSize(2);
        assertThat(row.at("/runs/1/command").textValue()).contains("--seed 2", "runs/drawn/seed-2/predictions.jsonl");
    }

    @Test
    void costsStandOnlyWhereTheyWereMeasured() {
        JsonNode json = json();
        assertThat(json.at("/tables/table2/0/flops_mean").doubleValue()).isEqualTo(300);
        assertThat(json.at("/tables/table2/0/latency_mean_s").doubleValue()).isCloseTo(0.3, within(1e-9));
        assertThat(json.at("/tables/table2/0/peak_memory_mb").doubleValue()).isEqualTo(50);
        assertThat(json.at("/tables/table2/2/flops_mean").isNull()).isTrue();
        assertThat(json.at("/tables/pm_t5/0/latency_mean_s").isNull()).isTrue();
        assertThat(json.at("/efficiency/rows").findValuesAsText("name")).containsExactly("single stage", "Full");
        assertThat(json.at("/efficiency/rows/1/flops_vs_first").doubleValue()).isCloseTo(0.3, within(1e-9));
        assertThat(json.at("/tables/table10/1/name").textValue()).isEqualTo("Full");
    }

    @Test
    void publishedRowsComeWithTheirColumns() {
        JsonNode published = json().at("/published");
        assertThat(published.fieldNames())
                .toIterable()
                .containsExactly("table2", "table3", "table10", "pm_t5", "pm_t7");
        assertThat(published.at("/table2/rows/2/name").textValue()).isEqualTo("w/o PAR");
        assertThat(published.at("/table2/columns")).hasSameSizeAs(published.at("/table2/rows/2/values"));
        assertThat(StreamSupport.stream(json().at("/notes").spliterator(), false)
                        .map(JsonNode::textValue))
                .anyMatch(note -> note.contains("is not ProactiveMobile's test set"))
                .anyMatch(note -> note.startsWith("Operations, latency and memory are given for runs"))
                .anyMatch(note -> note.startsWith("A row over several seeds"));
    }

    @Test
    void page_comparesOursWithPublishedAndShowsProvenance() throws IOException {
        new AblationPage(report, Map.of("command", "prpf eval ablate")).write(directory);
        String html = Files.readString(directory.resolve("report.html"));
        assertThat(html)
                .contains(
                        "Ablations on 20 samples",
                        "PRPF Table 2: The effect of each part of the cascade",
                        "ProactiveMobile Table 7: Without parts of the context",
                        "w/o Slow Channel",
                        "Commands of each row",
                        "Commands of each model",
                        "./prpf eval run --data gold.json --reasoner full --store",
                        "Compute a sample",
                        "FTR matched")
                .doesNotContain("src=\"http", "href=\"http");
        assertThat(directory.resolve("ablation.json")).content().contains("\"over_seeds\"");
        String markdown = Files.readString(directory.resolve("report.md"));
        assertThat(markdown.lines().filter(line -> line.startsWith("| **w/o MPP** | **this report**")))
                .singleElement()
                .asString()
                .contains("| **50.00 ")
                .endsWith("| **0** | **1** | **20** |");
        assertThat(markdown.lines().filter(line -> line.startsWith("| w/o MPP | published")))
                .singleElement()
                .asString()
                .contains("| published | 15.56 | 22.01 | 61.16 | 4.22 | 38.33 | 10.38 | – |");
        assertThat(markdown)
                .as("several seeds")
                .contains("77.50 ± 3.54")
                .as("costs as percent of the first row's")
                .contains("| **Full** | **this report** | **30.0** | **30.0** | **125.0** |")
                .contains("| Full PRPF (Ours) | published | 30.70 | 39.90 | 112.00 | – | – |");
        assertThat(new AblationPage(report, Map.of()).text())
                .contains("PRPF Table 3: the perceiver before other reasoners");
    }
}
