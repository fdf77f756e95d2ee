package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.GrpoTraining.PolicyRollouts;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class GrpoTrainingTest {
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.95, 1e-8, 0);
    private static final LoraSettings LORA = new LoraSettings(4, 8, null);

    /** Simulates SIGKILL: nothing of the loop runs after it. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @TempDir
    private Path folder;

    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = folder.resolve("start");
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.config(40, 64, true), new ModelInit.Scale(0.2, 0), 3)) {
            HuggingFaceDirectory.write(model, weights, null);
        }
    }

    static GrpoConfig config(double learningRate, @Nullable LoraSettings lora, int epochs, double devShare) {
        return config("prpf", learningRate, lora, epochs, devShare);
    }

    private static GrpoConfig config(
            String loss, double learningRate, @Nullable LoraSettings lora, int epochs, double devShare) {
        return new GrpoConfig(
                loss,
                null,
                learningRate,
                0.1,
                LrSchedulerType.COSINE,
                epochs,
                null,
                4,
                1,
                2.0,
                5,
                false,
                1.0,
                ADAMW,
                PrecisionChoice.FP32,
                lora,
                TrainVision.NONE,
                devShare,
                GrpoConfig.Selection.DEV_REWARD,
                5,
                2,
                3,
                17);
    }

    /** A copy with other values, by the keys of the configuration. */
    static GrpoConfig with(GrpoConfig config, String... overrides) {
        return StrictYaml.readText("test", StrictYaml.write(config), GrpoConfig.class, List.of(overrides));
    }

    private GrpoTraining.GrpoResult train(String run, GrpoConfig config, LongConsumer listener) {
        return train(run, config, new BanditRollouts(1), listener);
    }

    private GrpoTraining.GrpoResult train(
            String run, GrpoConfig config, PolicyRollouts rollouts, LongConsumer listener) {
        RunDescription description = new RunDescription("reasoner grpo", List.of(), "x: 1\n", Map.of());
        TrainingFiles files = new TrainingFiles(model, folder.resolve(run).resolve("model"), null);
        PromptSplit prompts = PromptSplit.split(BanditRollouts.prompts(20), config.devShare(), config.seed());
        try (RunDirectory directory = RunDirectory.open(folder.resolve(run), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                GrpoTraining training = new GrpoTraining(
                        config, files, new GrpoTraining.Prompts(prompts, 1, 2, null), rollouts, directory)) {
            return training.run(stop, listener);
        }
    }

    private static double reward(@Nullable PolicyEvaluation evaluation) {
        return Objects.requireNonNull(evaluation).reward();
    }

    private List<JsonNode> metrics(String run) {
        return RunDirectory.metrics(folder.resolve(run));
    }

    private static byte[] weights(GrpoTraining.GrpoResult result) throws IOException {
        return Files.readAllBytes(Path.of(result.model()).resolve("model.safetensors"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRewardRises(boolean adapters) {
        GrpoTraining.GrpoResult result =
                train("run", config(adapters ? 3e-2 : 1e-2, adapters ? LORA : null, 8, 0.2), step -> {});

        assertThat(result.steps()).isEqualTo(32);
        assertThat(result.prompts()).isEqualTo(16);
        assertThat(result.firstReward()).isLessThan(0.15);
        assertThat(result.reward()).isGreaterThan(0.5);
        assertThat(reward(result.dev())).isGreaterThan(reward(result.devBefore()) + 0.4);
        assertThat(Files.exists(folder.resolve("run/model-adapter/adapter_config.json")))
                .isEqualTo(adapters);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunKilledAtThreePointsGivesTheNumbersOfAnUndisturbedOne(boolean adapters) throws IOException {
        GrpoConfig config = config(1e-2, adapters ? LORA : null, 2, 0.2);
        GrpoTraining.GrpoResult undisturbed = train("whole", config, step -> {});

        for (long point : new long[] {1, 4, 7}) {
            assertThatThrownBy(() -> train("killed", config, step -> {
                        if (step >= point) {
                            throw new Killed();
                        }
                    }))
                    .isInstanceOf(Killed.class);
        }
        GrpoTraining.GrpoResult resumed = train("killed", config, step -> {});

        for (String file : List.of("metrics.jsonl", "samples.jsonl")) {
            assertThat(folder.resolve("killed").resolve(file))
                    .hasSameTextualContentAs(folder.resolve("whole").resolve(file));
        }
        assertThat(weights(resumed)).isEqualTo(weights(undisturbed));
        assertThat(resumed.dev()).isEqualTo(undisturbed.dev());
        assertThat(resumed.firstReward()).isEqualTo(undisturbed.firstReward());
    }

    @ParameterizedTest
    @CsvSource({
        "false,FP32,false",
        "true,FP32,false",
        "false,FP32,true",
        "true,FP32,true",
        "false,BF16,false",
        "true,BF16,true"
    })
    void theReferenceIsTheStart(boolean adapters, PrecisionChoice precision, boolean checkpointing) {
        GrpoConfig plain = config(1e-2, adapters ? LORA : null, 3, 0);
        train(
                "run",
                with(
                        plain,
                        "precision=" + precision.name().toLowerCase(Locale.ROOT),
                        "gradient-checkpointing=" + checkpointing),
                step -> {});

        List<JsonNode> lines = metrics("run");
        assertThat(lines.get(0).path("kl").asDouble()).isCloseTo(0, within(1e-4));
        assertThat(lines.get(0).path("ratio_mean").asDouble()).isCloseTo(1, within(1e-5));
        assertThat(lines.get(lines.size() - 1).path("kl").asDouble()).isGreaterThan(1e-3);
    }

    @Test
    void metricsCarryTheNamesOfTrl() {
        train("run", config(1e-2, null, 1, 0.2), step -> {});

        JsonNode start = metrics("run").get(0);
        assertThat(start.path("step").asLong()).isZero();
        assertThat(start.has("eval_reward")).isTrue();
        JsonNode first = metrics("run").get(1);
        for (String name : List.of(
                "loss",
                "kl",
                "entropy",
                "clip_ratio/region_mean",
                "reward",
                "reward_std",
                "frac_reward_zero_std",
                "rewards/trig/mean",
                "completions/mean_length",
                "completions/clipped_ratio",
                "sampling/sampling_logp_difference/mean",
                "grad_norm",
                "learning_rate",
                "num_tokens",
                "epoch")) {
            assertThat(first.has(name)).as(name).isTrue();
        }
        assertThat(first.path("sampling/sampling_logp_difference/max").asDouble())
                .isLessThan(1e-4);
        assertThat(first.path("alarms").get(0).asText()).isEqualTo("truncation");
        assertThat(folder.resolve("run/samples.jsonl")).content().contains("\"terms\"", "\"advantage\"", "\"id\"");
    }

    @Test
    void theBestPolicyOnTheHeldOutPromptsIsKept() throws IOException {
        // the start has the best evaluation, so it becomes the result
        PolicyRollouts falling = new BanditRollouts(1) {
            private double reward = 1;

            @Override
            public PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts) {
                reward -= 0.1;
                return new PolicyEvaluation(prompts.size(), reward, 0, null, null, 0, 6);
            }
        };

        GrpoTraining.GrpoResult result = train("run", config(1e-2, null, 2, 0.2), falling, step -> {});

        assertThat(result.bestStep()).isZero();
        assertThat(reward(result.dev())).isEqualTo(0.9);
        assertThat(weights(result)).isEqualTo(Files.readAllBytes(model.resolve("model.safetensors")));
        assertThat(folder.resolve("run/checkpoints/step_8/model.safetensors")).exists();
        assertThat(Files.readAllBytes(folder.resolve("run/checkpoints/step_8/model.safetensors")))
                .isNotEqualTo(weights(result));
    }

    @Test
    void theLastPolicyIsKeptWhereTheRecipeAsksForIt() throws IOException {
        GrpoConfig config = with(config(1e-2, null, 1, 0.2), "selection=last");

        GrpoTraining.GrpoResult result = train("run", config, step -> {});

        assertThat(result.bestStep()).isEqualTo(result.steps());
        assertThat(weights(result))
                .isEqualTo(Files.readAllBytes(folder.resolve("run/checkpoints/step_4/model.safetensors")));
        assertThat(folder.resolve("run/best")).doesNotExist();
    }

    /** From the second update on the policy is another than the one that wrote the rollouts: ratios leave 1, and some are clipped. */
    @Test
    void severalUpdatesOnTheSameRolloutsMakeTheClipAct() throws IOException {
        GrpoConfig config = with(config(3e-2, null, 2, 0.2), "updates-per-rollout=4");
        GrpoTraining.GrpoResult undisturbed = train("whole", config, step -> {});

        assertThat(undisturbed.steps()).isEqualTo(8);
        List<JsonNode> lines = metrics("whole").stream()
                .filter(line -> line.has("clip_ratio/region_mean"))
                .toList();
        assertThat(lines).anySatisfy(line -> assertThat(
                        line.path("clip_ratio/region_mean").asDouble())
                .isPositive());
        assertThat(lines)
                .anySatisfy(line -> assertThat(Math.abs(line.path("ratio_mean").asDouble() - 1))
                        .isGreaterThan(0.01));

        assertThatThrownBy(() -> train("killed", config, step -> {
                    if (step >= 4) {
                        throw new Killed();
                    }
                }))
                .isInstanceOf(Killed.class);
        assertThat(weights(train("killed", config, step -> {}))).isEqualTo(weights(undisturbed));
    }

    /** Groups that another process wrote: the ratio is taken to the log-probabilities they store, and the policy says nothing itself. */
    @Test
    void storedRolloutsAreTrainedOnAsTheyAre() {
        List<RolloutGroup> groups;
        try (DecoderWeights start = HuggingFaceDirectory.open(model).weights(Precision.FP32);
                CausalLm decoder = CausalLm.of(start, Precision.FP32)) {
            groups = new BanditRollouts(1).sample(decoder, BanditRollouts.prompts(20), 5);
        }
        PolicyRollouts stored = new BanditRollouts(1) {
            @Override
            public boolean stored() {
                return true;
            }

            @Override
            public List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed) {
                return prompts.stream()
                        .map(prompt -> groups.stream()
                                .filter(group -> group.id().equals(prompt.id()))
                                .findFirst()
                                .orElseThrow())
                        .toList();
            }
        };

        GrpoTraining.GrpoResult result = train("run", config("trl-dapo", 1e-2, null, 4, 0.2), stored, step -> {});

        List<JsonNode> lines =
                metrics("run").stream().filter(line -> line.has("ratio_mean")).toList();
        assertThat(lines.get(0).path("ratio_mean").asDouble()).isCloseTo(1, within(1e-4));
        assertThat(Math.abs(lines.get(lines.size() - 1).path("ratio_mean").asDouble() - 1))
                .isGreaterThan(0.01);
        assertThat(reward(result.dev())).isGreaterThan(reward(result.devBefore()));
    }

    @Test
    void aPolicyThatIsRuinedEndsTheRunAsDiverged() {
        assertThatThrownBy(() -> train("run", config(1e20, null, 1, 0), step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContainingAll("logits are NaN", "learning rate", "no checkpoint was saved");
    }

    @Test
    void aPolicyThatItsLastStepRuinedIsNeitherSavedNorTheResult() {
        for (double devShare : new double[] {0, 0.2}) {
            String run = "ruined-" + devShare;
            assertThatThrownBy(() -> train(run, oneStep(1e39, devShare), step -> {}))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                    .hasMessageContainingAll(
                            devShare == 0
                                    ? "step 1: the norm of the weights is "
                                    : "step 1: the policy's logits are NaN",
                            "training.learning-rate");
            assertThat(folder.resolve(run).resolve("model")).doesNotExist();
        }
    }

    private static GrpoConfig oneStep(double learningRate, double devShare) {
        return with(config(learningRate, null, 1, devShare), "max-steps=1");
    }

    @Test
    void aModelWhoseLogitsAreNoNumbersIsRefused() throws IOException {
        Path file = model.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(file);
        java.util.Arrays.fill(bytes, bytes.length - 4000, bytes.length, (byte) 0xFF);
        Files.write(file, bytes);

        assertThatThrownBy(() -> train("run", config(1e-2, null, 1, 0), step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll("NaN", "weights are broken");
    }

    /** Without a deviation to divide by, a reward beyond float32 makes the loss infinite. */
    @Test
    void aLossThatIsNotFiniteStopsTheRunAndChangesNothing() throws IOException {
        GrpoConfig config = config("dr_grpo", 1e-2, null, 1, 0);
        PolicyRollouts infinite = new BanditRollouts(1) {
            @Override
            public List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed) {
                List<RolloutGroup> groups = super.sample(policy, prompts, seed);
                return groups.stream().map(GrpoTrainingTest::unbounded).toList();
            }
        };

        assertThatThrownBy(() -> train("run", config, infinite, step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContainingAll("step 1", "loss", "learning-rate");
        assertThat(folder.resolve("run/model")).doesNotExist();
    }

    private static RolloutGroup unbounded(RolloutGroup group) {
        List<Rollout> rollouts = new ArrayList<>(group.rollouts());
        Rollout first = rollouts.get(0);
        Map<String, Double> terms = Terms.of(1e300, 0, 0, 0, 0, 0, 0, 0);
        Rollout.Reward most = new Rollout.Reward(1e300, terms, ConfusionOutcome.TN, 0, 0, 0);
        rollouts.set(0, new Rollout(first.ids(), first.logprobs(), first.finish(), "", most));
        return new RolloutGroup(group.id(), false, group.provenance(), group.promptIds(), rollouts);
    }

    @Test
    void aSignalSavesAndLeavesWithItsCode() {
        GrpoConfig config = config(1e-2, null, 2, 0);
        RunDescription description = new RunDescription("reasoner grpo", List.of(), "x: 1\n", Map.of());
        TrainingFiles files = new TrainingFiles(model, folder.resolve("run/model"), null);
        PromptSplit prompts = PromptSplit.split(BanditRollouts.prompts(20), 0, 1);
        try (RunDirectory directory = RunDirectory.open(folder.resolve("run"), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                GrpoTraining training = new GrpoTraining(
                        config,
                        files,
                        new GrpoTraining.Prompts(prompts, 1, 2, null),
                        new BanditRollouts(1),
                        directory)) {
            assertThatThrownBy(() -> training.run(stop, step -> {
                        if (step == 2) {
                            stop.request();
                        }
                    }))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED));
        }
        assertThat(folder.resolve("run/checkpoints/step_2/progress.json")).exists();
    }
}
