package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.engine.Slices;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.training.PolicyGradient.ReferencePolicy;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.training.TrainingVision.FrozenVision;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class VisionTrainingTest {
    private static final Path START = Golden.folder("qwen3_5_vl");
    private static final String BESIDE_TOWER = "base_model.model.model.language_model.layers.";
    private static final int WIDTH = 64;
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.99, 1e-8, 0.1);
    private static final FakeVisionEncoder ENCODER = new FakeVisionEncoder(WIDTH);

    @TempDir
    private Path folder;

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static VisionPatches patches(VisionImage image) {
        Random random = new Random(image.key().hashCode());
        int rows = image.grid().rows() * VisionConfig.MERGE;
        int columns = image.grid().columns() * VisionConfig.MERGE;
        VisionConfig config =
                Objects.requireNonNull(HuggingFaceDirectory.open(START).vision());
        float[] values = new float[rows * columns * config.patchValues()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return new VisionPatches(values, rows, columns);
    }

    private static TrainingVision opened(TrainVision learns) {
        TrainingVision vision = vision(learns);
        LearningVision tower = vision.trainable();
        if (tower != null) {
            tower.open(null);
        }
        return vision;
    }

    private static TrainingVision vision(TrainVision learns) {
        return learns == TrainVision.NONE
                ? new FrozenVision(ENCODER, SftVisionTest.PAD)
                : new LearningVision(
                        START, new LearningVision.Start(ENCODER, VisionTrainingTest::patches), learns, Precision.FP32);
    }

    /**
     * Returns examples with answers that depend only on the images: red or grey.
     *
     * @param text number of the 12 examples without an image
     */
    private static SftExamples data(int text) {
        List<SftExample> examples = new ArrayList<>();
        List<PromptExample> prompts = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String colour = i % 2 == 0 ? "red" : "grey";
            String[] files = i < text ? new String[0] : new String[] {colour + "-1x2.png"};
            SftExample shown = SftVisionTest.example(new Random(3), files);
            examples.add(new SftExample(shown.prompt(), new long[] {i % 2 == 0 ? 7 : 9, 2}, shown.images()));
            List<PromptImage> images = shown.images().stream()
                    .map(image -> new PromptImage(colour, image, false))
                    .toList();
            prompts.add(new PromptExample(
                    "p" + i,
                    new VisualPrompt(shown.prompt(), images),
                    List.of(List.of()),
                    ResponseForm.ANY,
                    List.of()));
        }
        return new SftExamples(examples, new PromptExamples(prompts, 0, 0, 20));
    }

    private static SftConfig config(TrainVision learns, @Nullable LoraSettings lora) {
        return new SftConfig(
                1e-2,
                0,
                LrSchedulerType.COSINE,
                3,
                4,
                1,
                true,
                lora != null,
                1.0,
                ADAMW,
                PrecisionChoice.FP32,
                lora,
                learns,
                0,
                SftConfig.Selection.LAST,
                0,
                null,
                1,
                2,
                17);
    }

    private Path train(String run, SftConfig config, int text, LongConsumer listener) {
        TrainingFiles files =
                new TrainingFiles(START, folder.resolve(run + "-model"), null, vision(config.trainVision()));
        RunDescription description = new RunDescription("reasoner sft", List.of(), "x: 1\n", Map.of());
        try (RunDirectory directory = RunDirectory.open(folder.resolve(run), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                SftTraining training = new SftTraining(config, files, data(text), null, directory)) {
            return Path.of(training.run(stop, listener).model());
        }
    }

    private static Map<String, float[]> tower(Path model) {
        try (VisionWeights weights = HuggingFaceDirectory.open(model).visionWeights(Precision.FP32)) {
            Map<String, float[]> tower = new LinkedHashMap<>();
            weights.arrays().forEach((name, array) -> tower.put(name, array.toFloatArray()));
            return tower;
        }
    }

    @ParameterizedTest
    @CsvSource({"NONE,false,0", "MERGER,false,0", "MERGER,true,9", "ALL,false,9"})
    void killedRun_resumesWithEqualNumbersAndKeepsTheVisionEncoder(TrainVision learns, boolean adapters, int text)
            throws IOException {
        SftConfig config = config(learns, adapters ? new LoraSettings(4, 8, null) : null);
        Path whole = train("whole", config, text, step -> {});
        Path resumed = Slices.of(1000, () -> {
            assertThatThrownBy(() -> train("killed", config, text, step -> {
                        if (step == 5) {
                            throw new Killed();
                        }
                    }))
                    .isInstanceOf(Killed.class);
            return train("killed", config, text, step -> {});
        });

        assertThat(resumed).isDirectory();
        assertThat(Files.readString(folder.resolve("killed/metrics.jsonl")))
                .isEqualTo(Files.readString(folder.resolve("whole/metrics.jsonl")));
        assertThat(tensorFiles("killed"))
                .as("small slices give the bytes of one slice")
                .isEqualTo(tensorFiles("whole"));
        if (learns != TrainVision.NONE) {
            assertThat(counts(folder.resolve("whole/checkpoints/step_8")).values().stream()
                            .anyMatch(count -> count < 8))
                    .as("steps of text leave the tower alone")
                    .isEqualTo(text > 0);
        }
        Path adapter = whole.resolveSibling(whole.getFileName() + "-adapter");
        assertThat(Files.exists(adapter.resolve("vision.safetensors")))
                .as("the adapters' folder holds what learned of the tower")
                .isEqualTo(adapters);
        if (adapters) {
            try (SafeTensors file = SafeTensors.open(adapter.resolve("adapter_model.safetensors"))) {
                assertThat(file.entries().keySet())
                        .as("PEFT's names on a base that sees")
                        .allMatch(name -> name.startsWith(BESIDE_TOWER));
            }
        }
        Map<String, float[]> before = tower(START);
        tower(whole).forEach((name, values) -> {
            boolean learned =
                    learns == TrainVision.ALL || (learns == TrainVision.MERGER && VisionConfig.ofMerger(name));
            if (learned) {
                assertThat(values).as(name).isNotEqualTo(before.get(name));
            } else {
                assertThat(values).as(name).isEqualTo(before.get(name));
            }
        });
    }

    /** The SHA-256 of each file of tensors by its path, with "RUN" for the run's name: weights, optimizer states, adapters and towers. */
    private Map<String, String> tensorFiles(String run) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".safetensors"))
                    .filter(file -> folder.relativize(file).toString().startsWith(run))
                    .collect(Collectors.toMap(
                            file -> folder.relativize(file).toString().replace(run, "RUN"), AtomicFiles::sha256));
        }
    }

    private record Done(long steps) {}

    @Test
    void checkpointsOfAdaptersNeedNothingOfTheirBase() throws IOException {
        Path base = Files.createDirectories(folder.resolve("base"));
        for (String name : List.of("config.json", "model.safetensors")) {
            Files.copy(START.resolve(name), base.resolve(name));
        }
        TrainingFiles files = new TrainingFiles(base, folder.resolve("result"), null);
        Path checkpoint = Files.createDirectories(folder.resolve("checkpoint"));
        try (TrainableDecoder decoder = files.open(null, new LoraSettings(4, 8, null), Precision.FP32, 1)) {
            Files.delete(base.resolve("config.json"));
            files.checkpoint(checkpoint, decoder, FusedAdamW.fresh(decoder, ADAMW), new Done(3));
        }
        try (SafeTensors file = SafeTensors.open(checkpoint.resolve("adapter_model.safetensors"))) {
            assertThat(file.entries().keySet()).isNotEmpty().allMatch(name -> name.startsWith(BESIDE_TOWER));
        }
        assertThat(TrainingFiles.progress(checkpoint, Done.class)).isEqualTo(new Done(3));
    }

    /** The prompts are equal but for what is seen, and what is answered hangs on it. */
    @Test
    void anAnswerThatStandsInTheImagesAloneIsLearned() throws IOException {
        train("run", config(TrainVision.NONE, null), 0, step -> {});
        List<Double> losses = Files.readString(folder.resolve("run/metrics.jsonl"))
                .lines()
                .map(line -> Double.valueOf(line.replaceAll(".*\"loss\":([^,}]*).*", "$1")))
                .toList();
        // two tokens, of which the first is red's or grey's: a blind model stays at log(2) / 2
        assertThat(losses.get(losses.size() - 1)).isLessThan(0.25 * Math.log(2));
        assertThat(losses.get(0)).isGreaterThan(1);
    }

    private static List<PolicyGradient.ScoredResponse> responses() {
        Random random = new Random(8);
        return Stream.of("red-1x2.png", "2x2.png", "3x1.png", "b-2x3.png")
                .map(name -> response(SftVisionTest.example(random, name), random.nextGaussian()))
                .toList();
    }

    private static PolicyGradient.ScoredResponse response(SftExample example, double advantage) {
        Rollout rollout = new Rollout(
                example.response(),
                new float[example.response().length],
                FinishReason.END_TOKEN,
                "",
                new Rollout.Reward(0, Terms.of(0, 0, 0, 0, 0, 0, 0, 0), null, 0, 0, 0));
        return new PolicyGradient.ScoredResponse(example, rollout, advantage, null);
    }

    private static Map<String, float[]> gradients(TrainableDecoder policy) {
        Map<String, float[]> gradients = new LinkedHashMap<>();
        policy.parameters().forEach((name, array) -> {
            try (PtNDArray gradient = array.getGradient()) {
                gradients.put(name, gradient.toFloatArray());
            }
        });
        return gradients;
    }

    /** Batches, gradient checkpointing: the numbers of the whole; the tower's among them. */
    @ParameterizedTest
    @CsvSource({"NONE,1,false", "MERGER,2,true", "ALL,4,true"})
    void aPolicysGradientGoesThroughTheImages(TrainVision learns, int size, boolean checkpointing) {
        List<Map<String, float[]>> found = new ArrayList<>();
        List<Double> losses = new ArrayList<>();
        for (boolean whole : new boolean[] {true, false}) {
            DecoderWeights weights = HuggingFaceDirectory.open(START).weights(Precision.FP32);
            TrainingVision vision = opened(learns);
            try (TrainableDecoder policy = TrainableDecoder.full(weights, vision);
                    ReferencePolicy reference = ReferencePolicy.owning(TestDecoders.frozen(weights))) {
                PolicyGradient gradient = new PolicyGradient(
                        policy,
                        reference,
                        GrpoPreset.PRPF.settings(),
                        new ComputeSettings(Precision.FP32, false, !whole && checkpointing),
                        1,
                        null);
                double loss = 0;
                for (List<PolicyGradient.ScoredResponse> batch : BatchOrder.cut(responses(), whole ? 4 : size)) {
                    PolicyGradient.Part part = gradient.backward(batch, 4);
                    loss += part.metrics().loss();
                    if (learns == TrainVision.NONE) {
                        assertThat(part.metrics().k3())
                                .as("the reference sees what the policy sees")
                                .isCloseTo(0, within(1e-6));
                    } else {
                        assertThat(part.metrics().k3())
                                .as("the reference sees with another tower")
                                .isGreaterThan(1e-6);
                    }
                }
                losses.add(loss);
                found.add(gradients(policy));
            }
        }
        assertThat(losses.get(1)).isCloseTo(losses.get(0), within(1e-4));
        found.get(0).forEach((name, values) -> {
            float[] others = Objects.requireNonNull(found.get(1).get(name));
            double norm = Math.sqrt(IntStream.range(0, values.length)
                    .mapToDouble(i -> (double) values[i] * values[i])
                    .sum());
            for (int i = 0; i < values.length; i++) {
                assertThat((double) others[i]).as(name).isCloseTo(values[i], within(3e-4 * Math.max(1, norm)));
            }
        });
    }

    /** Steps that an optimizer counts, by parameter. */
    private static Map<String, Float> counts(Path checkpoint) {
        Map<String, Float> counts = new LinkedHashMap<>();
        try (SafeTensors file = SafeTensors.open(checkpoint.resolve("optimizer.safetensors"))) {
            file.entries().keySet().stream()
                    .filter(name -> name.startsWith("step."))
                    .forEach(name -> counts.put(name.substring("step.".length()), file.floats(name)[0]));
        }
        return counts;
    }

    /** AdamW (arXiv:1711.05101) of one parameter. */
    private static final class ByHand {
        private final double decay;
        private final double[] values;
        private final double[] mean;
        private final double[] square;
        private int steps;

        ByHand(PtNDArray array) {
            decay = array.getShape().dimension() > 1 ? ADAMW.weightDecay() : 0;
            float[] start = array.toFloatArray();
            values = IntStream.range(0, start.length).mapToDouble(i -> start[i]).toArray();
            mean = new double[start.length];
            square = new double[start.length];
        }

        void step(double rate, float[] gradient) {
            steps++;
            for (int i = 0; i < values.length; i++) {
                mean[i] = ADAMW.beta1() * mean[i] + (1 - ADAMW.beta1()) * gradient[i];
                square[i] = ADAMW.beta2() * square[i] + (1 - ADAMW.beta2()) * gradient[i] * gradient[i];
                double unbiased = Math.sqrt(square[i] / (1 - Math.pow(ADAMW.beta2(), steps))) + ADAMW.epsilon();
                values[i] -= rate * decay * values[i];
                values[i] -= rate * mean[i] / (1 - Math.pow(ADAMW.beta1(), steps)) / unbiased;
            }
        }
    }

    /** Parameters without a gradient are skipped, as by torch's AdamW; one batch with an image among several is enough for a gradient. */
    @ParameterizedTest
    @CsvSource({"MERGER,false,false", "ALL,false,true", "MERGER,true,true", "ALL,true,false"})
    void aStepWhoseBatchesShowNoImageLeavesTheTowerAlone(TrainVision learns, boolean grpo, boolean checkpointing)
            throws IOException {
        ComputeSettings compute = new ComputeSettings(Precision.FP32, false, checkpointing);
        TrainingVision vision = opened(learns);
        Set<String> learned =
                Objects.requireNonNull(vision.trainable()).parameters().keySet();
        DecoderWeights weights = HuggingFaceDirectory.open(START).weights(Precision.FP32);
        try (TrainableDecoder decoder = TrainableDecoder.full(weights, vision);
                ReferencePolicy reference = ReferencePolicy.owning(TestDecoders.frozen(weights))) {
            SftLoss loss = new SftLoss(decoder, compute);
            PolicyGradient policy =
                    new PolicyGradient(decoder, reference, GrpoPreset.PRPF.settings(), compute, 1, null);
            Random random = new Random(5);
            SftExample seeing = SftVisionTest.example(random, "2x2.png");
            SftExample text = SftVisionTest.example(random);
            FusedAdamW optimizer = FusedAdamW.fresh(decoder, ADAMW);
            Map<String, ByHand> expected = new LinkedHashMap<>();
            decoder.parameters().forEach((name, array) -> expected.put(name, new ByHand(array)));
            for (List<SftExample> step : List.of(
                    List.of(text), List.of(seeing, text), List.of(text), List.of(text, text), List.of(text, seeing))) {
                for (SftExample example : step) {
                    if (grpo) {
                        policy.backward(List.of(response(example, 1)), 1);
                    } else {
                        loss.backward(List.of(example), 1);
                    }
                }
                Map<String, float[]> gradients = gradients(decoder);
                optimizer.step(0.01, Double.MAX_VALUE);
                expected.forEach((name, hand) -> {
                    if (step.contains(seeing) || !learned.contains(name)) {
                        hand.step(0.01, Objects.requireNonNull(gradients.get(name)));
                    }
                });
            }
            decoder.parameters().forEach((name, array) -> {
                float[] values = array.toFloatArray();
                double[] hand = Objects.requireNonNull(expected.get(name)).values;
                for (int i = 0; i < values.length; i++) {
                    assertThat((double) values[i]).as(name).isCloseTo(hand[i], within(1e-5));
                }
            });
            optimizer.write(folder.resolve("optimizer.safetensors"));
            assertThat(counts(folder)).hasSameSizeAs(expected).allSatisfy((name, count) -> assertThat(count)
                    .isEqualTo(learned.contains(name) ? 2 : 5));
        }
    }
}
