package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The reasoner, from a model to GRPO. */
@Tag("slow")
class ReasonerJsonContractTest extends JsonContract {
    @Test
    void parInitGenerateLogits() throws IOException {
        aSmallModel("model");
        JsonNode config = JSON.readTree(directory.resolve("model/config.json").toFile());

        JsonNode fromText = json(
                "reasoner", "generate", "--reasoner=model", "--prompt=你好", "--max-new=4", "--greedy", "--ignore-eos");
        assertThat(keys(fromText)).containsExactly("ids", "text", "logprobs");
        assertThat(fromText.get("ids")).hasSize(4);
        assertThat(fromText.get("logprobs")).hasSize(4).allSatisfy(p -> assertThat(p.doubleValue())
                .isNegative());
        assertThat(fromText.get("text").isTextual()).isTrue();

        JsonNode several = json(
                "reasoner",
                "generate",
                "--reasoner=model",
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

        CommandProcess.Result logits = CommandProcess.in(directory)
                .run("reasoner", "logits", "--reasoner=model", "--ids=5,9,2", "--out=l.safetensors");
        assertThat(logits.exitCode()).as(logits.stderr()).isZero();
        assertThat(tensor("l.safetensors", "logits").shape())
                .containsExactly(3, config.get("vocab_size").longValue());

        JsonNode speed = json(
                "reasoner",
                "bench",
                "--reasoner=model",
                "--dtype=bf16",
                "--batch=2",
                "--prompt=8",
                "--new=16",
                "--rounds=1");
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
        JsonNode fromIds = json(
                "reasoner", "generate", "--reasoner=model", "--ids=5,9,2", "--max-new=3", "--greedy", "--ignore-eos");
        assertThat(fromIds.get("text").isNull()).isTrue();
        assertThat(fromIds.get("ids")).hasSize(3);
        CommandProcess.Result withoutTokenizer =
                run("reasoner", "generate", "--reasoner=model", "--prompt=你好", "--json");
        assertThat(withoutTokenizer.exitCode()).isEqualTo(69);
        assertThat(withoutTokenizer.stdout()).isEmpty();
    }

    @Test
    void dataSftThenParSft() throws IOException {
        aSmallModel("sft-base");
        JsonNode made = json(
                "data",
                "sft-set",
                "--config",
                CONFIGS.resolve("data-sft-set.yaml").toString(),
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
                "reasoner",
                "sft",
                "--config",
                CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--set=training.epochs=1",
                "--reasoner=sft-base",
                "--examples=sft.jsonl",
                "--run-dir=par-of-set");
        assertThat(trained.get("steps").intValue()).isPositive();
        dataRollouts(trained.get("model").textValue());
        parGrpo(trained.get("model").textValue());
        JsonNode actingOnly = json(
                "reasoner",
                "sft",
                "--config",
                CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--set=examples.silent-share=0",
                "--set=examples.max-length=4096",
                "--reasoner=sft-base",
                "--examples=sft.jsonl",
                "--dry-run");
        assertThat(actingOnly.get("examples")).isEqualTo(made.get("acting"));
        CommandProcess.Result scenarios = run(
                "reasoner",
                "sft",
                "--config",
                CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--reasoner=sft-base",
                "--examples=sft.jsonl",
                "--scenarios=scenarios.json");
        assertThat(scenarios.exitCode()).isEqualTo(2);
        assertThat(scenarios.stderr()).contains("--scenarios", "go with --data");
        CommandProcess.Result both =
                run("reasoner", "sft", "--reasoner=sft-base", "--examples=sft.jsonl", "--data=" + DATA);
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.stderr()).contains("mutually exclusive");

        JsonNode exported = json("data", "export", "--to=llama-factory", "--examples=sft.jsonl", "--out=export-sft");
        assertThat(keys(exported))
                .containsExactly(
                        "out",
                        "to",
                        "stage",
                        "records",
                        "test_records",
                        "acting",
                        "silent",
                        "rewritten",
                        "images",
                        "files");
        assertThat(exported.get("records")).isEqualTo(made.get("records"));
        JsonNode prompts = json(
                "data",
                "export",
                "--to=verl",
                "--examples=sft.jsonl",
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
                "rollout-set",
                "--config",
                CONFIGS.resolve("data-rollout-set.yaml").toString(),
                "--set=prompts.limit=6",
                "--set=prompts.max-length=900",
                "--set=sampling.group-size=4",
                "--set=sampling.max-new-tokens=40",
                "--set=sampling.constrained=true",
                "--set=set.correct-from=0",
                "--set=set.correct-to=1",
                "--set=set.silent-share=0",
                "--data=" + DATA,
                "--pool=" + POOL,
                "--images=d",
                "--store=store",
                "--reasoner=" + model,
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
                "reasoner",
                "grpo",
                "--config",
                CONFIGS.resolve("reasoner-grpo.yaml").toString(),
                "--set=rollouts.group-size=2",
                "--set=rollouts.max-new-tokens=8",
                "--set=training.prompts-per-step=2",
                "--set=training.max-steps=2",
                "--prompts=rollouts",
                "--pool=" + POOL,
                "--reasoner=" + model,
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
                run("reasoner", "reward", "--gold=" + DATA, "--pool=" + POOL, "--responses=responses.jsonl", "--json");
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
}
