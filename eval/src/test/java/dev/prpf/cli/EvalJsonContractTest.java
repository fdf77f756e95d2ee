package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.eval.world.EpisodesCommand;
import dev.prpf.eval.world.PareTraceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The cascade, comparisons and suites. */
@Tag("slow")
class EvalJsonContractTest extends JsonContract {
    @Test
    void evalEpisodes() throws IOException {
        PareTraceFile.refusedThenAccepted().write(directory.resolve("tidy_up_run_2.json"));
        JsonNode made = json("eval", "episodes", "import", "--from=pare", "--out=episodes.jsonl", "tidy_up_run_2.json");
        assertThat(keys(made)).containsExactly("episodes", "steps", "out");
        assertThat(made.get("episodes").intValue()).isOne();
        JsonNode score = json("eval", "episodes", "score", "episodes.jsonl");
        assertThat(score.get("mode").textValue()).isEqualTo("strict");
        assertThat(score.at("/each/0/proposals").intValue()).isEqualTo(2);
    }

    @Test
    void evalWorldRun() throws IOException {
        for (String name : List.of("taxi.yaml", "train.yaml")) {
            try (InputStream in = EpisodesCommand.class.getResourceAsStream(name)) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                Files.writeString(directory.resolve(name), text.replace("app: taxi}", "app: taxi.yaml}"));
            }
        }
        assertThat(json("eval", "world", "check", "train.yaml")).hasToString("{\"scenarios\":1}");
        Files.writeString(
                directory.resolve("empty.json"),
                """
                {"scenario": "empty", "start": 0, "goal": null, "apps": {}, "events": [], "oracle": [], "final": {}}""");
        assertThat(json("eval", "world", "import", "--out=scenarios", "empty.json"))
                .hasToString("{\"scenarios\":1,\"out\":\"scenarios\"}");
        JsonNode made = json("eval", "world", "run", "--out=world.jsonl", "--runs=2", "train.yaml");
        assertThat(made).hasToString("{\"episodes\":2,\"played\":2,\"failed_events\":0,\"out\":\"world.jsonl\"}");
        assertThat(json("eval", "episodes", "score", "world.jsonl")
                        .get("acceptance_rate")
                        .intValue())
                .isEqualTo(100);
    }

    @Test
    void parSftEvalRunEvalScore() throws IOException {
        aSmallModel("base");
        JsonNode trained = json(
                "reasoner",
                "sft",
                "--config",
                CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--set=training.epochs=1",
                "--reasoner=base",
                "--data=" + DATA,
                "--images=d",
                "--store=store",
                "--run-dir=par");
        assertThat(trained.get("steps").intValue()).isPositive();

        JsonNode ran = json(
                "eval",
                "run",
                "--data=" + DATA,
                "--images=d",
                "--store=store",
                "--reasoner=" + trained.get("model").textValue(),
                "--gating=off",
                "--compress=off",
                "--max-new=4",
                "--no-constrained",
                "--out=run/predictions.jsonl");
        assertThat(ran.get("samples").intValue()).isEqualTo(24);
        for (String line : Files.readAllLines(directory.resolve("run/predictions.jsonl"))) {
            assertThat(keys(JSON.readTree(line)))
                    .containsExactly("id", "route", "p_trigger", "scenarios", "response", "calls", "finish", "cost");
            JsonNode cost = JSON.readTree(line).get("cost");
            assertThat(keys(cost))
                    .containsExactly(
                            "prompt_tokens",
                            "visual_tokens",
                            "cached_tokens",
                            "new_tokens",
                            "forward_passes",
                            "flops",
                            "seconds");
            for (String what : List.of("flops", "seconds")) {
                assertThat(keys(cost.get(what)))
                        .containsExactly("frame_encoder", "text_encoder", "fusion", "prefill", "decode", "total");
                assertThat(cost.at("/" + what + "/total").doubleValue()).isPositive();
            }
        }
        assertThat(keys(ran))
                .containsExactly(
                        "predictions",
                        "samples",
                        "silent_by_gate",
                        "reasoned",
                        "acting",
                        "malformed",
                        "unusable_perceptions",
                        "cut",
                        "cut_ids",
                        "seconds",
                        "peak_memory_mb",
                        "perceiver_memory_mb",
                        "reasoner_memory_mb",
                        "perceiver_device_reserved_mb",
                        "reasoner_device_reserved_mb",
                        "device_memory_unknown",
                        "run_seconds",
                        "encodings_reused",
                        "decoder",
                        "remote");
        assertThat(ran.get("peak_memory_mb").doubleValue()).isPositive();
        assertThat(ran.get("cut").intValue()).as("four tokens are no response").isPositive();

        JsonNode costs = json("eval", "efficiency", "--predictions=single=run/predictions.jsonl", "--out=costs");
        assertThat(keys(costs)).containsExactly("rows", "assumptions");
        assertThat(keys(costs.at("/rows/0")))
                .startsWith(
                        "name",
                        "n",
                        "routed",
                        "flops_mean",
                        "flops_vs_first",
                        "latency_mean_s",
                        "latency_vs_first",
                        "peak_memory_mb");
        assertThat(costs.at("/rows/0/flops_mean").doubleValue()).isPositive();
        assertThat(directory.resolve("costs/efficiency.html")).isNotEmptyFile();
        json(
                "eval",
                "run",
                "--data=" + DATA,
                "--images=d",
                "--store=store",
                "--reasoner=" + trained.get("model").textValue(),
                "--gating=off",
                "--compress=off",
                "--max-new=4",
                "--no-constrained",
                "--shard=1/1",
                "--out=shard/predictions.jsonl");
        JsonNode merged = json("eval", "merge", "--out=merged/predictions.jsonl", "shard/predictions.jsonl");
        assertThat(keys(merged)).isEqualTo(keys(ran));

        JsonNode scores =
                json("eval", "score", "--gold=" + DATA, "--pool=" + POOL, "--predictions=run/predictions.jsonl");
        assertThat(scores.at("/overall/n").intValue()).isEqualTo(24);

        JsonNode report = json("eval", "report", "a=run", "b=run/predictions.jsonl", "--resamples=50");
        assertThat(report.get("n").intValue()).isEqualTo(24);
        assertThat(report.at("/comparisons/0/metrics/sr/difference").doubleValue())
                .isZero();
        assertThat(report.get("differences")).as("one run, twice").isEmpty();
    }

    @Test
    void dataCallsParAdoptParRespondEvalCompare() throws IOException {
        aSmallModel("calls-model");
        List<String> questions = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            questions.add("{\"id\":\"c" + i + "\",\"question\":[[{\"role\":\"user\",\"content\":\"Do " + i
                    + "\"}]],\"function\":[{\"name\":\"f" + i
                    + "\",\"parameters\":{\"type\":\"dict\",\"properties\":{\"x\":{\"type\":\"integer\"}}}}]}");
            answers.add("{\"id\":\"c" + i + "\",\"ground_truth\":[{\"f" + i + "\":{\"x\":[1]}}]}");
        }
        Files.write(directory.resolve("questions.json"), questions);
        Files.write(directory.resolve("answers.json"), answers);
        JsonNode made = json(
                "data",
                "calls",
                "--config",
                CONFIGS.resolve("data-calls.yaml").toString(),
                "--set=set.max-length=2000",
                "--questions=questions.json",
                "--answers=answers.json",
                "--reasoner=calls-model",
                "--out=calls");
        assertThat(keys(made))
                .containsExactly(
                        "out",
                        "records",
                        "over_long",
                        "many_answers",
                        "conflicting",
                        "longest",
                        "functions",
                        "train",
                        "train_silent",
                        "test",
                        "test_silent");
        JsonNode adopted = json(
                "reasoner",
                "adopt",
                "--config",
                CONFIGS.resolve("reasoner-adopt.yaml").toString(),
                "--reasoner=calls-model");
        assertThat(keys(adopted)).containsExactly("model", "prompt_hash", "tokenizer_sha256");
        JsonNode answered = json(
                "reasoner",
                "respond",
                "--reasoner=calls-model",
                "--examples=calls/test/sft.jsonl",
                "--max-new=4",
                "--run-dir=calls-answers");
        assertThat(keys(answered)).containsExactly("predictions", "n", "malformed", "seconds");
        JsonNode compared = json(
                "eval",
                "compare",
                "--gold=calls/test/gold.json",
                "--pool=calls/function_pool.json",
                "--reasoning=none",
                "--before=calls-answers/predictions.jsonl",
                "--after=calls-answers/predictions.jsonl");
        assertThat(keys(compared))
                .containsExactly(
                        "n",
                        "resamples",
                        "seed",
                        "judge",
                        "reward",
                        "type_acc",
                        "sr",
                        "sr_act",
                        "names_act",
                        "ftr",
                        "precision",
                        "recall",
                        "f1",
                        "malformed");
        assertThat(compared.get("ftr").isNull()).as("no sample is silent").isTrue();
        assertThat(keys(compared.get("sr"))).containsExactly("n", "before", "after", "difference", "ci");
    }

    private static final String ABLATE =
            """
            places: {base: tiny}
            options: {}
            scoring: {gold: few/benchmark_zh.json, pool: few/function_pool.json, scenarios: null, resamples: 50, seed: 1, cluster-by: trajectory}
            store: store
            models:
              adopted: {commands: ["reasoner adopt --config {configs}/reasoner-adopt.yaml --set prompt.wording=brief --set prompt.pool=names --reasoner {base} --out {self}"], gives: "{self}"}
            every-run: --data few/benchmark_zh.json --images few --gating off --compress off --max-new 8 --reasoner {models.adopted}
            runs:
              plain: {arguments: "", seeds: [], costs: true}
              kept: {arguments: "--constrained", seeds: [], costs: false}
            tables:
              table2:
                - {name: "Full", runs: [plain], against: null}
                - {name: "kept", runs: [kept], against: "Full"}
              table10:
                - {name: "single stage", runs: [plain], against: null}
            """;

    /** Kills an ablation and waits for the end of its measured run, which continues in its own process. */
    private static void killed(List<String> command, Path run) throws Exception {
        Process ablation = CommandProcess.in(directory).start(command.toArray(String[]::new));
        while (ablation.isAlive() && !Files.exists(run.resolve("run.json"))) {
            Thread.sleep(20);
        }
        List<ProcessHandle> children = ablation.descendants().toList();
        ablation.destroyForcibly().waitFor();
        for (ProcessHandle child : children) {
            child.onExit().get(5, TimeUnit.MINUTES);
        }
    }

    /**
     * Started again after a kill, it keeps the run that finished in the meantime; then it has nothing left to do. Another configuration or
     * another model is refused.
     */
    @Test
    void evalAblate() throws Exception {
        aSmallModel("tiny");
        json("data", "synth", "--out", "few", "--count", "6", "--seed", "3", "--multimodal-share", "0.2");
        Files.writeString(directory.resolve("ablate.yaml"), ABLATE);
        List<String> command = List.of("eval", "ablate", "--config=ablate.yaml", "--run-dir=ablation");

        JsonNode dry = json("eval", "ablate", "--config=ablate.yaml", "--run-dir=ablation", "--dry-run");
        assertThat(keys(dry)).containsExactly("dry_run", "run", "stages", "needs", "missing");
        JsonNode need = dry.at("/needs/runs.plain/0");
        assertThat(keys(need))
                .containsExactly("command", "bytes", "about", "lower", "elsewhere", "free_bytes", "fits", "seconds");
        assertThat(need.get("about").textValue()).contains("its memory is unknown: the plan has no training");
        assertThat(need.get("bytes").isNull()).isTrue();
        assertThat(need.get("fits").isNull()).isTrue();
        assertThat(keys(dry.get("stages"))).containsExactly("models.adopted", "runs.plain", "runs.kept");
        assertThat(directory.resolve("ablation")).doesNotExist();

        Path measured = directory.resolve("ablation/runs/plain");
        killed(command, measured);
        FileTime written = Files.getLastModifiedTime(measured.resolve("predictions.jsonl"));
        JsonNode json = json(command.toArray(String[]::new));
        assertThat(Files.getLastModifiedTime(measured.resolve("predictions.jsonl")))
                .as("it is not predicted again")
                .isEqualTo(written);
        assertThat(keys(json))
                .containsExactly(
                        "report",
                        "n",
                        "units",
                        "cluster_by",
                        "resamples",
                        "seed",
                        "level",
                        "judge",
                        "tables",
                        "published",
                        "models",
                        "efficiency",
                        "notes");
        assertThat(keys(json.at("/tables/table2/0")))
                .startsWith("name", "n", "malformed")
                .contains("type_acc", "sr", "ftr", "ftr_matched", "ci", "over_seeds", "by_modality")
                .endsWith("flops_mean", "latency_mean_s", "peak_memory_mb", "runs", "comparison");
        assertThat(json.at("/tables/table2/0/flops_mean").doubleValue()).isPositive();
        assertThat(json.at("/tables/table2/1/flops_mean").isNull()).isTrue();
        assertThat(json.at("/tables/table2/1/comparison/first").textValue()).isEqualTo("Full");
        assertThat(json.at("/efficiency/rows/0/peak_memory_mb").doubleValue()).isPositive();
        assertThat(json.get("report").textValue()).endsWith("ablation/report.html");
        assertThat(directory.resolve("ablation/runs/plain/store")).isNotEmptyDirectory();
        assertThat(directory.resolve("ablation/report.md")).isNotEmptyFile();

        CommandProcess.Result again = run("eval", "ablate", "--config=ablate.yaml", "--run-dir=ablation", "--json");
        assertThat(again.exitCode()).isZero();
        assertThat(again.stderr()).containsSubsequence("done before", "done before", "done before");
        assertThat(JSON.readTree(again.stdout())).isEqualTo(json);

        List<String> other = new ArrayList<>(command);
        other.add("--set=scoring.resamples=51");
        CommandProcess.Result refused = run(other.toArray(String[]::new));
        assertThat(refused.exitCode()).isEqualTo(78);
        assertThat(refused.stderr()).contains("another configuration");

        Path decoding = directory.resolve("tiny/generation_config.json");
        Files.writeString(decoding, Files.readString(decoding) + "\n");
        CommandProcess.Result retrained = run(command.toArray(String[]::new));
        assertThat(retrained.exitCode()).isEqualTo(78);
        assertThat(retrained.stderr()).contains("holds a run whose tiny/generation_config.json content has changed");
    }

    @Test
    void evalJudges() throws IOException {
        Files.writeString(
                directory.resolve("a.jsonl"),
                "{\"id\":\"x\",\"equivalent\":true,\"reason\":\"r\"}\n{\"id\":\"y\",\"equivalent\":false,\"reason\":\"r\"}\n");
        Files.writeString(
                directory.resolve("b.jsonl"),
                "{\"id\":\"y\",\"equivalent\":true,\"reason\":\"s\"}\n{\"id\":\"x\",\"equivalent\":true,\"reason\":\"s\"}\n");
        JsonNode agreement = json("eval", "judges", "a.jsonl", "b.jsonl");
        assertThat(keys(agreement))
                .containsExactly("n", "abstained", "agreement", "kappa", "kappa_ci", "confusion", "dissent");
        assertThat(keys(agreement.at("/dissent/0"))).containsExactly("id", "a", "b", "a_reason", "b_reason");
        assertThat(agreement.get("kappa").doubleValue()).isZero();
        assertThat(agreement.at("/confusion/false/true").intValue()).isEqualTo(1);
    }
}
