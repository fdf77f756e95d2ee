package dev.prpf.eval;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import dev.prpf.data.io.SafeTensors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What scripts rely on: with {@code --json} standard output holds one JSON object with the documented keys and nothing else. Every
 * command runs as a process of its own, on a small data set that {@code data synth} makes.
 */
class JsonContractTest {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final String DATA = "d/benchmark_zh.json";
    private static final String POOL = "d/function_pool.json";
    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    @TempDir
    static Path directory;

    @BeforeAll
    static void aSmallDataSet() throws IOException {
        JsonNode made =
                json("data", "synth", "--out", "d", "--count", "24", "--seed", "3", "--multimodal-share", "0.1");
        assertThat(made.get("records").intValue()).isEqualTo(24);
    }

    private static CommandProcess.Result run(String... arguments) {
        return CommandProcess.in(directory).run(arguments);
    }

    /** Runs a command with {@code --json}; it must succeed and write one JSON object. */
    private static JsonNode json(String... arguments) throws IOException {
        return json(0, arguments);
    }

    private static JsonNode json(int exitCode, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.add("--json");
        CommandProcess.Result result = run(all.toArray(String[]::new));
        assertThat(result.exitCode()).as("%s: %s", all, result.stderr()).isEqualTo(exitCode);
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(json.isObject())
                .as("stdout of %s is \"%s\"", all, result.stdout())
                .isTrue();
        return json;
    }

    private static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    @Test
    void dataValidateOfAGoodFile() throws IOException {
        JsonNode json = json("data", "validate", "--data", DATA, "--pool", POOL, "--images", "d");
        assertThat(keys(json)).containsExactly("records", "fatal", "warnings", "findings");
        assertThat(json.get("records").intValue()).isEqualTo(24);
        assertThat(json.get("fatal").intValue()).isZero();
        assertThat(json.get("findings").isArray()).isTrue();
    }

    @Test
    void dataValidateNamesADefectWithRecordAndPointer() throws IOException {
        Files.writeString(
                directory.resolve("bad.json"),
                "[{\"benchmark_metadata\":{\"id\":\"x\",\"difficulty_level\":1},\"reference_information\":{\"profile\":\"p\","
                        + "\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"t\"]},\"recommendations\":[{\"instruction\":\"i\","
                        + "\"functions\":[{\"name\":\"no_such_function\",\"parameters\":{}}]}]}]");
        JsonNode json = json(65, "data", "validate", "--data", "bad.json", "--pool", POOL, "--images", "d");
        assertThat(json.get("fatal").intValue()).isEqualTo(1);
        JsonNode finding = json.at("/findings/0");
        assertThat(keys(finding)).containsExactlyInAnyOrder("id", "path", "severity", "rule", "value", "message");
        assertThat(finding.get("id").textValue()).isEqualTo("x");
        assertThat(finding.get("severity").textValue()).isEqualTo("fatal");
        assertThat(finding.get("path").textValue()).startsWith("/recommendations/0/functions/0");
    }

    @Test
    void dataStats() throws IOException {
        JsonNode json = json("data", "stats", "--data", DATA);
        assertThat(json.at("/total/items").intValue()).isEqualTo(24);
    }

    @Test
    void dataEncodeTexts() throws IOException {
        Files.writeString(directory.resolve("texts.json"), "[\"打开地图\",\"open the map\"]");
        json("data", "encode", "--texts", "texts.json", "--int8", "--out", "e.safetensors");
        SafeTensors.Entry embeddings = tensor("e.safetensors", "embeddings");
        assertThat(embeddings.dtype()).isEqualTo("F32");
        assertThat(embeddings.shape()).containsExactly(2, 512);
    }

    @Test
    void dataEncodePictures() throws IOException {
        List<String> pictures;
        try (Stream<Path> files = Files.list(directory.resolve("d/images"))) {
            pictures = files.map(file -> "images/" + file.getFileName())
                    .sorted()
                    .limit(2)
                    .toList();
        }
        Files.write(directory.resolve("pictures.json"), JSON.writeValueAsBytes(pictures));
        json(
                "data",
                "encode",
                "--pictures=pictures.json",
                "--images=d",
                "--frame-encoder=ocr",
                "--int8",
                "--out=f.safetensors");
        assertThat(tensor("f.safetensors", "embeddings").shape()).containsExactly(pictures.size(), 512);
        assertThat(pictures).isNotEmpty();
    }

    @Test
    void mppTrainSweepPredict() throws IOException {
        json(
                "mpp",
                "train",
                "--config",
                CONFIGS.resolve("mpp.yaml").toString(),
                "--set=network.dimension=16",
                "--set=network.heads=2",
                "--set=network.layers=1",
                "--set=network.max-steps=3",
                "--set=network.recent-steps=2",
                "--set=network.feed-forward=32",
                "--set=training.epochs=1",
                "--set=encoder.precision=int8",
                "--set=encoder.threads=1",
                "--data=" + DATA,
                "--images=d",
                "--store=store",
                "--run-dir=mpp");
        JsonNode sweep = json("mpp", "sweep", "--run", "mpp", "--tau", "0.5");
        assertThat(keys(sweep)).containsExactlyInAnyOrder("threshold", "recall", "specificity", "constraint", "curve");
        assertThat(sweep.get("threshold").doubleValue()).isEqualTo(0.5);
        assertThat(sweep.get("curve")).hasSize(91);
        assertThat(keys(sweep.at("/curve/0"))).containsExactlyInAnyOrder("tau", "recall", "specificity");
        assertThat(sweep.at("/curve/0/tau").doubleValue()).isEqualTo(0.05);
        assertThat(sweep.at("/curve/90/tau").doubleValue()).isEqualTo(0.95);

        JsonNode withShortlists = json("mpp", "sweep", "--run", "mpp", "--tau", "0.5", "--top-k", "1..10");
        assertThat(keys(withShortlists))
                .containsExactly("threshold", "recall", "specificity", "constraint", "curve", "top_k");
        assertThat(withShortlists.get("top_k")).hasSize(10);
        assertThat(keys(withShortlists.at("/top_k/4")))
                .containsExactly("k", "recall_all", "recall_triggering", "pool_mean", "pool_largest");

        json("mpp", "predict", "--run=mpp", "--data=" + DATA, "--images=d", "--store=store", "--out=p.jsonl");
        List<String> lines = Files.readAllLines(directory.resolve("p.jsonl"));
        assertThat(lines).hasSize(24);
        for (String line : lines) {
            JsonNode said = JSON.readTree(line);
            assertThat(keys(said)).containsExactly("id", "p_trigger", "trigger", "scenarios");
            assertThat(said.get("trigger").booleanValue())
                    .isEqualTo(said.get("p_trigger").doubleValue() >= 0.5);
            assertThat(said.get("scenarios")).hasSize(14);
        }
    }

    @Test
    void mppBench() throws IOException {
        JsonNode json = json(
                "mpp",
                "bench",
                "--config",
                CONFIGS.resolve("mpp.yaml").toString(),
                "--set=network.dimension=16",
                "--set=network.heads=2",
                "--set=network.layers=1",
                "--set=network.feed-forward=32",
                "--set=encoder.precision=int8",
                "--seconds=0.05");
        assertThat(keys(json))
                .containsExactly(
                        "device",
                        "cores",
                        "parameters",
                        "training",
                        "perceiver_only",
                        "decisions",
                        "history",
                        "peak_mb");
        assertThat(json.get("training"))
                .extracting(row -> row.get("batch").intValue())
                .containsExactly(8, 64, 256);
        assertThat(json.at("/training/0/samples_per_second").doubleValue()).isPositive();
        assertThat(keys(json.at("/training/0/step"))).containsExactly("ms", "ms_p90", "runs");
        assertThat(json.get("history"))
                .extracting(row -> row.get("frames").intValue())
                .containsExactly(10, 100, 1_000, 10_000);
        JsonNode streaming = json.at("/decisions/1");
        assertThat(streaming.get("tokens").doubleValue()).isEqualTo(64 + 2);
        assertThat(streaming.get("frame_encoder_ms").isNull()).isTrue();
        assertThat(streaming.at("/gflop/text_encoder").doubleValue()).isBetween(1.3, 1.4);
    }

    @Test
    void mppTrainOverSeedsThenSweep() throws IOException {
        JsonNode trained = json(
                "mpp",
                "train",
                "--config",
                CONFIGS.resolve("mpp.yaml").toString(),
                "--seeds=1,2",
                "--no-ablations",
                "--set=network.dimension=16",
                "--set=network.heads=2",
                "--set=network.layers=1",
                "--set=network.feed-forward=32",
                "--set=training.epochs=1",
                "--set=threshold.min-recall=1",
                "--set=encoder.precision=int8",
                "--set=encoder.threads=1",
                "--data=" + DATA,
                "--images=d",
                "--store=seed-store",
                "--run-dir=mpp-seeds");
        assertThat(keys(trained)).containsExactly("run", "trainings", "tables", "report");
        JsonNode swept = json("mpp", "sweep", "--run", "mpp-seeds", "--tau", "0.5");
        assertThat(keys(swept))
                .containsExactly(
                        "split",
                        "n",
                        "confusion",
                        "threshold",
                        "variants",
                        "top_k",
                        "distribution",
                        "auc",
                        "average_precision",
                        "reliability",
                        "ece_uncalibrated",
                        "report");
        assertThat(Path.of(swept.get("report").textValue())).isAbsolute().isRegularFile();
    }

    @Test
    void parInitGenerateLogits() throws IOException {
        aSmallModel("model");
        JsonNode config = JSON.readTree(directory.resolve("model/config.json").toFile());

        JsonNode fromText =
                json("par", "generate", "--model=model", "--prompt=你好", "--max-new=4", "--greedy", "--ignore-eos");
        assertThat(keys(fromText)).containsExactly("ids", "text", "logprobs");
        assertThat(fromText.get("ids")).hasSize(4);
        assertThat(fromText.get("logprobs")).hasSize(4).allSatisfy(p -> assertThat(p.doubleValue())
                .isNegative());
        assertThat(fromText.get("text").isTextual()).isTrue();

        JsonNode several = json(
                "par",
                "generate",
                "--model=model",
                "--prompt=你好",
                "--max-new=4",
                "--n=2",
                "--temperature=1",
                "--top-k=0",
                "--top-p=0.9",
                "--min-p=0.01",
                "--repetition-penalty=1.1",
                "--stop=。",
                "--seed=3",
                "--special-tokens");
        assertThat(keys(several)).containsExactly("ids", "text", "logprobs", "samples");
        assertThat(several.get("samples")).hasSize(2).allSatisfy(sample -> assertThat(keys(sample))
                .containsExactly("seed", "ids", "text", "logprobs", "sampling_logprobs", "finish"));

        CommandProcess.Result logits = run("par", "logits", "--model=model", "--ids=5,9,2", "--out=l.safetensors");
        assertThat(logits.exitCode()).as(logits.stderr()).isZero();
        assertThat(tensor("l.safetensors", "logits").shape())
                .containsExactly(3, config.get("vocab_size").longValue());

        JsonNode speed = json(
                "par", "bench", "--model=model", "--dtype=bf16", "--batch=2", "--prompt=8", "--new=16", "--rounds=1");
        assertThat(keys(speed))
                .containsExactly(
                        "model", "parameters", "device", "threads", "machine", "prompt", "new", "rounds", "decoders");
        assertThat(keys(speed.at("/decoders/0")))
                .containsExactly(
                        "dtype",
                        "products",
                        "batch",
                        "prefill_tok_s",
                        "decode_tok_s",
                        "prefill_of_gemm_peak",
                        "decode_of_bandwidth",
                        "resident_mb");

        Files.delete(directory.resolve("model/tokenizer.json"));
        JsonNode fromIds =
                json("par", "generate", "--model=model", "--ids=5,9,2", "--max-new=3", "--greedy", "--ignore-eos");
        assertThat(fromIds.get("text").isNull()).isTrue();
        assertThat(fromIds.get("ids")).hasSize(3);
        CommandProcess.Result withoutTokenizer = run("par", "generate", "--model=model", "--prompt=你好", "--json");
        assertThat(withoutTokenizer.exitCode()).isEqualTo(69);
        assertThat(withoutTokenizer.stdout()).isEmpty();
    }

    @Test
    void parSftEvalRunEvalScore() throws IOException {
        aSmallModel("base");
        JsonNode trained = json(
                "par",
                "sft",
                "--config",
                CONFIGS.resolve("par-sft.yaml").toString(),
                "--set=training.epochs=1",
                "--model=base",
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
                "--par=" + trained.get("model").textValue(),
                "--gate=off",
                "--compress=off",
                "--max-new=4",
                "--out=run/predictions.jsonl");
        assertThat(ran.get("samples").intValue()).isEqualTo(24);
        for (String line : Files.readAllLines(directory.resolve("run/predictions.jsonl"))) {
            assertThat(keys(JSON.readTree(line)))
                    .containsExactly("id", "route", "p_trigger", "scenarios", "response", "calls");
        }

        JsonNode scores =
                json("eval", "score", "--gold=" + DATA, "--pool=" + POOL, "--predictions=run/predictions.jsonl");
        assertThat(scores.at("/overall/n").intValue()).isEqualTo(24);
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
                "--model=calls-model",
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
                "par", "adopt", "--config", CONFIGS.resolve("par-adopt.yaml").toString(), "--model=calls-model");
        assertThat(keys(adopted)).containsExactly("model", "prompt_hash", "tokenizer_sha256");
        JsonNode answered = json(
                "par",
                "respond",
                "--model=calls-model",
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
                        "reward",
                        "type_acc",
                        "sr",
                        "sr_act",
                        "ftr",
                        "precision",
                        "recall",
                        "f1",
                        "malformed");
        assertThat(compared.get("ftr").isNull()).as("no sample is silent").isTrue();
        assertThat(keys(compared.get("sr"))).containsExactly("n", "before", "after", "difference", "ci");
    }

    @Test
    void dataSftThenParSft() throws IOException {
        aSmallModel("sft-base");
        JsonNode made = json(
                "data",
                "sft",
                "--config",
                CONFIGS.resolve("data-sft.yaml").toString(),
                "--set=set.target=all",
                "--data=" + DATA,
                "--pool=" + POOL,
                "--images=d",
                "--store=store",
                "--out=sft.jsonl");
        assertThat(keys(made))
                .containsExactly(
                        "out",
                        "samples",
                        "records",
                        "acting",
                        "silent",
                        "dropped_targets",
                        "out_of_pool",
                        "cut_samples",
                        "teaching",
                        "remote",
                        "reasoning");
        assertThat(made.get("samples").intValue()).isEqualTo(24);
        List<String> lines = Files.readAllLines(directory.resolve("sft.jsonl"));
        assertThat(lines).hasSize(made.get("records").intValue()).hasSizeGreaterThanOrEqualTo(24);
        assertThat(keys(JSON.readTree(lines.get(0))))
                .containsExactly(
                        "id",
                        "intervention",
                        "modality",
                        "prompt",
                        "wording",
                        "teacher",
                        "functions",
                        "system",
                        "user",
                        "response",
                        "images");

        JsonNode trained = json(
                "par",
                "sft",
                "--config",
                CONFIGS.resolve("par-sft.yaml").toString(),
                "--set=training.epochs=1",
                "--model=sft-base",
                "--examples=sft.jsonl",
                "--run-dir=par-of-set");
        assertThat(trained.get("steps").intValue()).isPositive();
        dataRollouts(trained.get("model").textValue());
        parGrpo(trained.get("model").textValue());
        JsonNode actingOnly = json(
                "par",
                "sft",
                "--config",
                CONFIGS.resolve("par-sft.yaml").toString(),
                "--set=examples.silent-share=0",
                "--set=examples.max-length=4096",
                "--model=sft-base",
                "--examples=sft.jsonl",
                "--dry-run");
        assertThat(actingOnly.get("examples")).isEqualTo(made.get("acting"));
        CommandProcess.Result scenarios = run(
                "par",
                "sft",
                "--config",
                CONFIGS.resolve("par-sft.yaml").toString(),
                "--model=sft-base",
                "--examples=sft.jsonl",
                "--scenarios=scenarios.json");
        assertThat(scenarios.exitCode()).isEqualTo(2);
        assertThat(scenarios.stderr()).contains("--scenarios", "go with --data");
        CommandProcess.Result both = run("par", "sft", "--model=sft-base", "--examples=sft.jsonl", "--data=" + DATA);
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.stderr()).contains("mutually exclusive");

        JsonNode exported = json("data", "export", "--to=llama-factory", "--set=sft.jsonl", "--out=export-sft");
        assertThat(keys(exported))
                .containsExactly(
                        "out", "to", "stage", "records", "test_records", "acting", "silent", "rewritten", "files");
        assertThat(exported.get("records")).isEqualTo(made.get("records"));
        JsonNode prompts = json(
                "data",
                "export",
                "--to=verl",
                "--set=sft.jsonl",
                "--gold=" + DATA,
                "--pool=" + POOL,
                "--out=export-grpo");
        assertThat(prompts.get("records").intValue()).isEqualTo(24);
        assertThat(JSON.readTree(Files.readAllLines(directory.resolve("export-grpo/train.jsonl"))
                        .get(0)))
                .hasSize(5);
    }

    private static void dataRollouts(String model) throws IOException {
        JsonNode made = json(
                "data",
                "rollouts",
                "--config",
                CONFIGS.resolve("data-rollouts.yaml").toString(),
                "--set=prompts.limit=6",
                "--set=prompts.max-length=900",
                "--set=sampling.group-size=4",
                "--set=sampling.max-new=40",
                "--set=sampling.constrained=true",
                "--set=set.correct-from=0",
                "--set=set.correct-to=1",
                "--set=set.silent-share=0",
                "--data=" + DATA,
                "--pool=" + POOL,
                "--images=d",
                "--store=store",
                "--model=" + model,
                "--run-dir=rollouts");
        assertThat(keys(made))
                .containsExactly(
                        "rollouts",
                        "prompts",
                        "dropped",
                        "out_of_pool",
                        "longest",
                        "groups",
                        "silent",
                        "responses",
                        "tokens",
                        "reward",
                        "correct",
                        "malformed",
                        "clipped",
                        "train",
                        "test",
                        "set",
                        "seconds");
        assertThat(made.get("responses").intValue())
                .isEqualTo(4 * made.get("groups").intValue());
        assertThat(Files.readAllLines(directory.resolve("rollouts/train.jsonl")))
                .hasSize(made.at("/set/train").intValue());
    }

    private static void parGrpo(String model) throws IOException {
        JsonNode trained = json(
                "par",
                "grpo",
                "--config",
                CONFIGS.resolve("par-grpo.yaml").toString(),
                "--set=rollouts.group-size=2",
                "--set=rollouts.max-new=8",
                "--set=training.prompts-per-step=2",
                "--set=training.max-steps=2",
                "--prompts=rollouts",
                "--pool=" + POOL,
                "--model=" + model,
                "--run-dir=par-grpo");
        assertThat(keys(trained))
                .containsExactly(
                        "model",
                        "steps",
                        "prompts",
                        "dev_prompts",
                        "dropped",
                        "out_of_pool",
                        "tokens",
                        "first_reward",
                        "reward",
                        "best_step",
                        "dev_before",
                        "dev",
                        "seconds",
                        "memory");
        assertThat(trained.get("steps").intValue()).isPositive();
        assertThat(directory.resolve(trained.get("model").textValue()).resolve("model.safetensors"))
                .exists();
    }

    @Test
    void parReward() throws IOException {
        StringBuilder responses = new StringBuilder();
        for (JsonNode sample : JSON.readTree(directory.resolve(DATA).toFile())) {
            String id = sample.at("/benchmark_metadata/id").textValue();
            responses.append("{\"id\":\"" + id + "\",\"response\":\"No recommendation\"}\n");
            responses.append("{\"id\":\"" + id + "\",\"calls\":[[{\"name\":\"f\",\"parameters\":{}}]]}\n");
        }
        Files.writeString(directory.resolve("responses.jsonl"), responses);
        CommandProcess.Result result =
                run("par", "reward", "--gold=" + DATA, "--pool=" + POOL, "--responses=responses.jsonl", "--json");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        List<String> lines = result.stdout().lines().toList();
        assertThat(lines).hasSize(48);
        List<String> quadrants = new ArrayList<>();
        for (String line : lines) {
            JsonNode reward = JSON.readTree(line);
            assertThat(keys(reward)).containsExactly("id", "total", "terms", "quadrant");
            assertThat(keys(reward.get("terms")))
                    .containsExactly("trig", "func", "args", "schema", "tn", "fp", "cov", "over");
            quadrants.add(reward.get("quadrant").textValue());
        }
        assertThat(quadrants).contains("TP", "TN", "FP", "FN");
    }

    private static void aSmallModel(String out) throws IOException {
        json(
                "par",
                "init",
                "--config",
                CONFIGS.resolve("par-init.yaml").toString(),
                "--set=model.hidden-size=32",
                "--set=model.intermediate-size=64",
                "--set=model.layers=1",
                "--set=model.heads=2",
                "--set=model.key-value-heads=1",
                "--text=" + DATA,
                "--out=" + out);
    }

    @Test
    void evalSuiteContextagent() throws IOException {
        Map<String, Object> records = new LinkedHashMap<>();
        for (int i = 0; i < 30; i++) {
            boolean due = i % 2 == 0;
            records.put(
                    "example-" + i,
                    Map.of(
                            "Vision",
                                    (due ? "The user looks lost near place " : "The user rests happily near place ")
                                            + word(i),
                            "Audio", i % 3 == 0 ? "Somebody says " + word(i * 7) + " " + word(i * 5) : "",
                            "Mobile api data", List.of(),
                            "Proactive score", due ? 5 : 1,
                            "Proactive index", due ? "true" : "false"));
        }
        Files.createDirectories(directory.resolve("suites/gate/contextagent"));
        JSON.writeValue(
                directory.resolve("suites/gate/contextagent/cab_train.json").toFile(), records);

        assertSuite(json("eval", "suite", "contextagent", "--data=suites"), "contextagent", 30);
    }

    @Test
    void evalSuiteKnowu() throws IOException {
        Path logs = directory.resolve("suites/gate/knowu/user_logs");
        Files.createDirectories(logs);
        for (String persona : List.of("student", "user")) {
            List<Map<String, String>> log = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                boolean signal = i % 3 != 0;
                log.add(Map.of(
                        "time",
                        "2026-01-%02dT08:00:00+08:00".formatted(i + 1),
                        "action",
                        signal ? "he ordered coffee at the " + word(i % 4) : "he swiped away " + word(i * 11),
                        "label",
                        signal ? "signal" : "noise",
                        "category",
                        (signal ? "habit " : "other ") + i % 6));
            }
            JSON.writeValue(logs.resolve(persona + "_noise_25pct.json").toFile(), log);
        }

        assertSuite(json("eval", "suite", "knowu", "--data=suites"), "knowu", 40);
    }

    private static String word(int seed) {
        return Integer.toString(seed * 7919 + 46655, 36).replaceAll("[0-9]", "o");
    }

    private static void assertSuite(JsonNode json, String name, int n) {
        assertThat(keys(json)).containsExactly("suite", "title", "n", "rows", "secondary", "inner", "notes");
        assertThat(json.get("suite").textValue()).isEqualTo(name);
        assertThat(json.get("n").intValue()).isEqualTo(n);
        assertThat(json.get("rows"))
                .filteredOn(row -> row.get("primary").booleanValue())
                .hasSize(1);
        assertThat(json.get("rows")).hasSize(10).allSatisfy(row -> {
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
            assertThat(row.get("n").intValue()).isEqualTo(n);
        });
        JsonNode lead = json.get("rows").findValues("ours_minus").stream()
                .filter(JsonNode::isObject)
                .reduce((first, last) -> last)
                .orElseThrow();
        assertThat(keys(lead)).containsExactly("f1", "f1_ci", "auc", "auc_ci");
        assertThat(lead.get("auc").doubleValue()).isBetween(-1.0, 1.0);
        assertThat(keys(json.at("/inner/0"))).containsExactly("name", "auc");
    }

    @Test
    void dataHubGet() throws IOException {
        String commit = "c".repeat(40);
        HttpServer hub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer(hub, "/api/models/org/tiny/revision/main", "{\"sha\": \"" + commit + "\"}");
        answer(
                hub,
                "/api/models/org/tiny/tree/" + commit,
                "[{\"type\": \"file\", \"path\": \"a.txt\", \"size\": 6, \"oid\": \"ce013625030ba8dba906f756967f9e9ca394464a\"}]");
        answer(hub, "/org/tiny/resolve/" + commit + "/a.txt", "hello\n");
        hub.start();
        try {
            Map<String, String> environment = Map.of(
                    "HF_ENDPOINT",
                    "http://127.0.0.1:" + hub.getAddress().getPort(),
                    "HF_HOME",
                    directory.resolve("hub-home").toString());
            CommandProcess.Result result = CommandProcess.in(directory)
                    .withEnvironment(environment)
                    .run("data", "hub", "get", "org/tiny", "--json");
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            JsonNode json = JSON.readTree(result.stdout());
            assertThat(keys(json))
                    .containsExactly(
                            "repo", "repo_type", "revision", "commit", "path", "bytes", "missing_bytes", "files");
            assertThat(keys(json.at("/files/0"))).containsExactly("path", "size", "cached");
            assertThat(Path.of(json.get("path").textValue()).resolve("a.txt")).hasContent("hello\n");
        } finally {
            hub.stop(0);
        }
    }

    private static void answer(HttpServer server, String path, String text) {
        server.createContext(path, exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    @Test
    void aDryRunWithJsonIsJsonToo() throws IOException {
        assertThat(keys(json("data", "synth", "--out=never", "--count=3", "--dry-run")))
                .isNotEmpty();
        assertThat(directory.resolve("never")).doesNotExist();
    }

    private static SafeTensors.Entry tensor(String file, String name) throws IOException {
        try (SafeTensors tensors = SafeTensors.open(directory.resolve(file))) {
            return tensors.entry(name);
        }
    }
}
