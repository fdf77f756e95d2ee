package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.engine.Slices;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.sets.SftSplit;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.vision.VisualPrompt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SftTrainingTest {
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.95, 1e-8, 0.01);

    /** Simulates SIGKILL: nothing of the loop runs after it. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @TempDir
    Path folder;

    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = folder.resolve("start");
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, true), 3)) {
            HuggingFaceDirectory.write(model, weights, null);
        }
    }

    private static SftConfig config(double learningRate, PrecisionChoice precision) {
        return config(learningRate, precision, SftConfig.Selection.LAST, 0);
    }

    private static SftConfig config(
            double learningRate, PrecisionChoice precision, SftConfig.Selection selection, int samples) {
        return evaluating(learningRate, precision, selection, samples, null);
    }

    private static SftConfig evaluating(
            double learningRate,
            PrecisionChoice precision,
            SftConfig.Selection selection,
            int samples,
            @Nullable Integer evaluationSteps) {
        return new SftConfig(
                learningRate,
                0.1,
                LrSchedulerType.COSINE,
                3,
                4,
                2,
                false,
                false,
                1.0,
                ADAMW,
                precision,
                null,
                TrainVision.NONE,
                0.2,
                selection,
                samples,
                evaluationSteps,
                3,
                2,
                17);
    }

    /** Says the first token of its greedy answer, and rewards an epoch by its number's place in a list. */
    private static final class GradedEpochs implements Predictor {
        private final Map<Integer, Double> rewardByWeights = new LinkedHashMap<>();
        private final double[] rewards;

        GradedEpochs(double... rewards) {
            this.rewards = rewards;
        }

        @Override
        public List<Prediction> predict(CausalLm policy, List<PromptExample> prompts) {
            List<Generation> said = Requests.generate(
                    policy,
                    prompts.stream().map(PromptExample::ids).toList(),
                    GenerationSettings.greedy(3, List.of(2), 8));
            int weights = Arrays.hashCode(Outputs.logits(policy, new long[] {1})[0]);
            double reward = rewardByWeights.computeIfAbsent(weights, key -> rewards[rewardByWeights.size()]);
            Map<String, Double> terms = Terms.of(reward, 0, 0, 0, 0, 0, 0, 0);
            RewardBreakdown earned = new RewardBreakdown(
                    ConfusionOutcome.TN, terms, new RewardBreakdown.Parts(0, 0, 0, 0, 0, 0, 1), null, 0);
            return IntStream.range(0, prompts.size())
                    .mapToObj(i -> new Prediction(
                            prompts.get(i),
                            new GeneratedResponse(
                                    Arrays.toString(said.get(i).ids()),
                                    new ParResponse.Malformed(0, ""),
                                    FinishReason.LENGTH,
                                    3),
                            earned))
                    .toList();
        }
    }

    private static SftExamples data() {
        List<SftExample> examples = SftLossTest.examples(60, 4);
        List<PromptExample> prompts = IntStream.range(0, examples.size())
                .mapToObj(i -> new PromptExample(
                        "p" + i,
                        VisualPrompt.ofText(examples.get(i).prompt()),
                        List.of(List.of()),
                        ResponseForm.ANY,
                        List.of()))
                .toList();
        return new SftExamples(examples, new PromptExamples(prompts, 1, 2, 9));
    }

    private SftTraining.SftResult train(String run, SftConfig config, LongConsumer listener) {
        return train(run, config, null, listener);
    }

    private SftTraining.SftResult train(
            String run, SftConfig config, @Nullable Predictor predictor, LongConsumer listener) {
        RunDescription description = new RunDescription("reasoner sft", List.of(), "x: 1\n", Map.of());
        try (RunDirectory directory = RunDirectory.open(folder.resolve(run), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                SftTraining training = new SftTraining(config, files(run), data(), predictor, directory)) {
            return training.run(stop, listener);
        }
    }

    private String metrics(String run) throws IOException {
        return Files.readString(folder.resolve(run).resolve("metrics.jsonl"));
    }

    private byte[] weights(SftTraining.SftResult result) throws IOException {
        return Files.readAllBytes(Path.of(result.model()).resolve("model.safetensors"));
    }

    @Test
    void aRunKilledAtThreePointsGivesTheNumbersOfAnUndisturbedOne() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32);
        SftTraining.SftResult undisturbed = train("whole", config, step -> {});
        assertThat(undisturbed.steps()).isEqualTo(18);

        for (long point : new long[] {1, 7, 14}) {
            assertThatThrownBy(() -> train("killed", config, step -> {
                        if (step >= point) {
                            throw new Killed();
                        }
                    }))
                    .isInstanceOf(Killed.class);
        }
        SftTraining.SftResult resumed = Slices.of(64, () -> train("killed", config, step -> {}));

        assertThat(metrics("killed")).isEqualTo(metrics("whole"));
        assertThat(weights(resumed)).isEqualTo(weights(undisturbed));
        assertThat(resumed.loss()).isEqualTo(undisturbed.loss());
        assertThat(resumed.tokens()).isEqualTo(undisturbed.tokens());
        assertThat(resumed.devLoss()).isEqualTo(undisturbed.devLoss());
    }

    @Test
    void theBestEpochByRewardIsTheResultAndAnswersAreWrittenDown() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32, SftConfig.Selection.DEV_REWARD, 2);
        SftTraining.SftResult result = train("run", config, new GradedEpochs(1, 3, 2), step -> {});

        assertThat(result.bestStep()).isEqualTo(12);
        assertThat(Objects.requireNonNull(result.dev()).reward()).isEqualTo(3);
        assertThat(result.dev().n()).isEqualTo(12);
        assertThat(weights(result))
                .isEqualTo(Files.readAllBytes(folder.resolve("run/best/step_12/model/model.safetensors")));
        assertThat(weights(result))
                .as("not the last state")
                .isNotEqualTo(Files.readAllBytes(folder.resolve("run/checkpoints/step_18/model.safetensors")));
        assertThat(metrics("run").lines().filter(line -> line.contains("\"eval_reward\":3.0,")))
                .hasSize(1)
                .allSatisfy(line -> assertThat(line).contains("\"step\":12", "\"eval_loss\":", "\"eval_ftr\":0.0"));
        List<String> samples = Files.readAllLines(folder.resolve("run/samples.jsonl"));
        assertThat(samples).hasSize(3 * 2);
        assertThat(samples.get(2))
                .contains("\"step\":12", "\"id\":\"p", "\"text\":\"[", "\"reward\":3.0", "\"terms\":");
    }

    @Test
    void aBestModelThatIsDamagedIsNotTakenForTheResult() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32, SftConfig.Selection.DEV_REWARD, 2);
        SftTraining.SftResult result = train("run", config, new GradedEpochs(1, 3, 2), step -> {});
        byte[] whole = weights(result);
        Path best = folder.resolve("run/best/step_12/model/model.safetensors");
        byte[] damaged = whole.clone();
        damaged[damaged.length - 1] ^= 1;
        Files.write(best, damaged);

        assertThatThrownBy(() -> train("run", config, new GradedEpochs(1, 3, 2), step -> {}))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContainingAll("the model of step 12", "damaged or gone", "none is whole there");
        assertThat(weights(result)).isEqualTo(whole);

        Files.write(best, whole);
        Files.move(best.resolve("../..").normalize(), folder.resolve("run/best/step_13"));
        assertThatThrownBy(() -> train("run", config, new GradedEpochs(1, 3, 2), step -> {}))
                .hasMessageContaining("step 13 is there");
    }

    @Test
    void theBestEpochByLossNeedsNoAnswers() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32, SftConfig.Selection.DEV_LOSS, 0);
        SftTraining.SftResult result = train("run", config, step -> {});

        List<Double> losses = metrics("run")
                .lines()
                .filter(line -> line.contains("eval_loss"))
                .map(line -> Double.valueOf(line.replaceAll(".*\"eval_loss\":([^,}]*).*", "$1")))
                .toList();
        assertThat(result.devLoss()).isEqualTo(Collections.min(losses));
        assertThat(result.bestStep()).isEqualTo(6L * (losses.indexOf(Collections.min(losses)) + 1));
        assertThat(result.dev()).isNull();
        assertThat(folder.resolve("run/samples.jsonl")).doesNotExist();
    }

    @Test
    void aKilledRunKeepsTheBestOfAnUndisturbedOne() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32, SftConfig.Selection.DEV_REWARD, 3);
        SftTraining.SftResult undisturbed = train("whole", config, new GradedEpochs(1, 3, 2), step -> {});
        Predictor answers = new GradedEpochs(1, 3, 2);

        for (long point : new long[] {7, 13, 17}) {
            assertThatThrownBy(() -> train("killed", config, answers, step -> {
                        if (step >= point) {
                            throw new Killed();
                        }
                    }))
                    .isInstanceOf(Killed.class);
        }
        SftTraining.SftResult resumed = train("killed", config, answers, step -> {});

        assertThat(metrics("killed")).isEqualTo(metrics("whole"));
        assertThat(folder.resolve("killed/samples.jsonl"))
                .hasSameTextualContentAs(folder.resolve("whole/samples.jsonl"));
        assertThat(weights(resumed)).isEqualTo(weights(undisturbed));
        assertThat(resumed.bestStep()).isEqualTo(12);
        assertThat(resumed.dev()).isEqualTo(undisturbed.dev());
        assertThat(train("killed", config, answers, step -> {}).devLoss())
                .as("a finished run says the same again")
                .isEqualTo(undisturbed.devLoss());
    }

    @Test
    void evaluationsAreAsOftenAsAskedForAndAtTheEnd() throws IOException {
        SftConfig config = evaluating(1e-2, PrecisionChoice.FP32, SftConfig.Selection.DEV_REWARD, 1, 4);
        SftTraining.SftResult result = train("run", config, new GradedEpochs(1, 2, 5, 3, 4), step -> {});

        assertThat(metrics("run")
                        .lines()
                        .filter(line -> line.contains("eval_loss"))
                        .map(line -> line.replaceAll(".*\"step\":(\\d+).*", "$1")))
                .containsExactly("4", "8", "12", "16", "18");
        assertThat(Files.readAllLines(folder.resolve("run/samples.jsonl"))).hasSize(5);
        assertThat(result.bestStep()).as("in the middle of an epoch is well").isEqualTo(12);
        assertThatThrownBy(() -> evaluating(1e-2, PrecisionChoice.FP32, SftConfig.Selection.LAST, 0, 0))
                .hasMessage("evaluation-steps = 0 must be at least 1");
    }

    @Test
    void samplesAloneAreNotCompared() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32, SftConfig.Selection.LAST, 1);
        SftTraining.SftResult result = train("run", config, new GradedEpochs(3, 2, 1), step -> {});

        assertThat(result.bestStep()).isEqualTo(18);
        assertThat(result.dev()).isNull();
        assertThat(Files.readAllLines(folder.resolve("run/samples.jsonl"))).hasSize(3);
        assertThat(folder.resolve("run/best")).doesNotExist();
    }

    @Test
    void selectionNeedsHeldOutExamplesAndSomebodyWhoAnswers() {
        SftConfig asking = config(1e-2, PrecisionChoice.FP32, SftConfig.Selection.DEV_REWARD, 3);
        assertThatThrownBy(() -> train("run", asking, step -> {}))
                .hasMessageContainingAll("selection = DEV_REWARD", "samples = 3", "no predictor");
        assertThatThrownBy(() -> new SftConfig(
                        1e-2,
                        0.1,
                        LrSchedulerType.COSINE,
                        3,
                        4,
                        2,
                        false,
                        false,
                        1.0,
                        ADAMW,
                        PrecisionChoice.FP32,
                        null,
                        TrainVision.NONE,
                        0,
                        SftConfig.Selection.DEV_LOSS,
                        0,
                        null,
                        3,
                        2,
                        17))
                .hasMessage("dev-share = 0.0 must be > 0 for this selection");
    }

    @Test
    void metricsCarryTheNamesOfTrl() throws IOException {
        SftTraining.SftResult result = train("run", config(1e-2, PrecisionChoice.BF16), step -> {});
        List<String> lines = metrics("run").lines().toList();

        assertThat(lines.get(0))
                .contains(
                        "\"step\":3",
                        "\"loss\":",
                        "\"grad_norm\":",
                        "\"learning_rate\":",
                        "\"epoch\":0.5",
                        "\"num_tokens\":",
                        "\"mean_token_accuracy\":");
        assertThat(lines).filteredOn(line -> line.contains("eval_loss")).hasSize(3);
        assertThat(result.devLoss()).isNotNull();
        assertThat(result.examples()).isEqualTo(48);
    }

    @Test
    void aSignalSavesAndLeavesWithItsCode() {
        SftConfig config = config(1e-2, PrecisionChoice.FP32);
        RunDescription description = new RunDescription("reasoner sft", List.of(), "x: 1\n", Map.of());
        try (RunDirectory directory = RunDirectory.open(folder.resolve("run"), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                SftTraining training = new SftTraining(config, files("run"), data(), null, directory)) {
            assertThatThrownBy(() -> training.run(stop, step -> {
                        if (step == 5) {
                            stop.request();
                        }
                    }))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED));
        }
        assertThat(folder.resolve("run/checkpoints/step_5/optimizer.safetensors"))
                .exists();
        assertThat(folder.resolve("run/run.json")).content().contains("\"state\" : \"stopped\"");
    }

    @Test
    void aLossThatIsNotFiniteStopsTheRun() throws IOException {
        Path file = model.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(file);
        java.util.Arrays.fill(bytes, bytes.length - 4000, bytes.length, (byte) 0x7E); // finite, about 8e37
        Files.write(file, bytes);

        assertThatThrownBy(() -> train("run", config(1e-2, PrecisionChoice.FP32), step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContainingAll("step 1", "loss", "NaN", "learning-rate");
    }

    @Test
    void aModelThatItsLastStepRuinedIsNeitherSavedNorTheResult() {
        SftConfig alone = withoutDev(1e39);
        assertThatThrownBy(() -> train("alone", alone, step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContainingAll("step 1: the norm of the weights is ", "no checkpoint was saved");
        assertThat(folder.resolve("alone/model")).doesNotExist();

        SftConfig asking = evaluating(1e39, PrecisionChoice.FP32, SftConfig.Selection.DEV_REWARD, 1, 1);
        assertThatThrownBy(() -> train("asking", asking, new GradedEpochs(1, 2), step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContainingAll("step 1: the held-out loss is NaN", "training.learning-rate");
        assertThat(folder.resolve("asking/best")).doesNotExist();
    }

    @Test
    void aPromptWithSeveralAnswersIsHeldOutWithAllOfThemOrNone() {
        List<SftExample> examples = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            examples.add(new SftExample(new long[] {1, i / 3}, new long[] {10 + i % 3, 2}));
        }
        SftSplit split = SftSplit.of(examples, 8, 0.2, 1);
        List<Long> held =
                split.dev().stream().map(example -> example.prompt()[1]).toList();
        assertThat(split.train()).hasSize(60 - split.dev().size()).allSatisfy(place -> assertThat(held)
                .doesNotContain(examples.get(place).prompt()[1]));
        assertThat(split.dev().size()).isBetween(12, 36);
        assertThat(held).allSatisfy(prompt -> assertThat(Collections.frequency(held, prompt))
                .isEqualTo(3));
    }

    /** One step over all examples. */
    private static SftConfig withoutDev(double learningRate) {
        return new SftConfig(
                learningRate,
                0.1,
                LrSchedulerType.COSINE,
                1,
                60,
                1,
                false,
                false,
                1.0,
                ADAMW,
                PrecisionChoice.FP32,
                null,
                TrainVision.NONE,
                0,
                SftConfig.Selection.LAST,
                0,
                null,
                3,
                2,
                17);
    }

    private TrainingFiles files(String run) {
        return new TrainingFiles(model, folder.resolve(run).resolve("model"), null);
    }

    @Test
    void tooLongExampleAndSplitWithoutTrainingData_areRefused() {
        SftExample example = new SftExample(new long[] {1, 2}, new long[] {3});

        assertThatThrownBy(() -> SftSplit.of(List.of(example), 2, 0, 1))
                .hasMessageContainingAll("3 tokens", "takes 2", "examples.max-length");
        assertThatThrownBy(() -> SftSplit.of(List.of(example), 8, 0.5, 1))
                .hasMessageContaining("1 are held out; lower training.dev-share");
    }
}
