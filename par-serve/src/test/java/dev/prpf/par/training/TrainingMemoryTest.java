package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.export.Refused;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionTower.VisionMemory;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TrainingMemoryTest {
    private static final DecoderConfig MODEL = TinyModels.config(40, 64, true);
    private static final VisionConfig TOWER =
            new VisionConfig(2, 16, 24, 2, 4, 16, 32, 10_000, new VisionTokens(1, 2, 3, 4));
    private static final LoraSettings LORA = new LoraSettings(2, 4, List.of("q_proj"));
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.99, 1e-8, 0);
    private static final TrainingMemory.InUse IN_USE = new TrainingMemory.InUse(1_000_000_000L, 1_500_000_000L);

    private static TrainingMemory memory(long update, long rollouts) {
        return memory(update, rollouts, 0);
    }

    private static TrainingMemory memory(long update, long rollouts, long written) {
        return new TrainingMemory(
                IN_USE,
                new TrainingMemory.Held(100_000_000, 0, 100_000_000, 200_000_000, 50_000_000),
                new GradientMemory.Parts(update - update / 4, update / 4, 0, 0),
                new TrainingMemory.Sampling(0, rollouts, 0),
                written);
    }

    private static SftConfig sft(int batch, boolean packing, boolean checkpointing, @Nullable LoraSettings lora) {
        return new SftConfig(
                1e-3,
                0,
                LrSchedulerType.COSINE,
                2,
                batch,
                1,
                packing,
                checkpointing,
                1,
                ADAMW,
                PrecisionChoice.FP32,
                lora,
                TrainVision.NONE,
                0.2,
                SftConfig.Selection.LAST,
                0,
                null,
                1,
                9,
                1);
    }

    /** Settings with adapters and without held-out prompts. */
    static SftConfig lora(int batch, Precision precision, boolean checkpointing, @Nullable LoraSettings settings) {
        return sft(batch, precision, checkpointing, settings, TrainVision.NONE);
    }

    /** Settings without held-out prompts. */
    static SftConfig sft(
            int batch,
            Precision precision,
            boolean checkpointing,
            @Nullable LoraSettings settings,
            TrainVision learns) {
        return new SftConfig(
                1e-3,
                0,
                LrSchedulerType.COSINE,
                1,
                batch,
                1,
                false,
                checkpointing,
                1,
                ADAMW,
                PrecisionChoice.valueOf(precision.name()),
                settings,
                learns,
                0,
                SftConfig.Selection.LAST,
                0,
                null,
                1,
                9,
                1);
    }

    private static GrpoConfig grpo(int batch, boolean checkpointing, @Nullable Double kl, @Nullable LoraSettings lora) {
        return grpo(batch, checkpointing, kl, lora, PrecisionChoice.FP32);
    }

    private static GrpoConfig grpo(
            int batch,
            boolean checkpointing,
            @Nullable Double kl,
            @Nullable LoraSettings lora,
            PrecisionChoice precision) {
        return new GrpoConfig(
                "prpf",
                kl,
                1e-3,
                0,
                LrSchedulerType.COSINE,
                1,
                null,
                4,
                1,
                null,
                batch,
                checkpointing,
                1,
                ADAMW,
                precision,
                lora,
                TrainVision.NONE,
                0,
                GrpoConfig.Selection.LAST,
                9,
                9,
                9,
                1);
    }

    private static GrpoMemory of(GrpoConfig config) {
        return of(config, null, List.of());
    }

    private static GrpoMemory of(GrpoConfig config, @Nullable VisionConfig tower, List<PromptImage> images) {
        List<PromptExample> prompts = Collections.nCopies(
                4,
                new PromptExample(
                        "a", new VisualPrompt(new long[20], images), List.of(List.of()), ResponseForm.ANY, List.of()));
        PromptSplit split = new PromptSplit(prompts, prompts.subList(0, 1));
        return new GrpoMemory(config, new GrpoSampling(4, 1, 0, 1, 12, 8), MODEL, tower, split);
    }

    @Test
    void theLargerOfUpdateAndRolloutsIsOnTopOfWhatStays() {
        assertThat(memory(200_000_000, 0).added()).isEqualTo(200_000_000 + 702_000_000L);
        assertThat(memory(200_000_000, 300_000_000).added()).isEqualTo(200_000_000 + 810_000_000L);
        assertThat(memory(200_000_000, 0).peak()).isEqualTo(1_902_000_000L);
        assertThat(memory(200_000_000, 100_000_000, 300_000_000)).satisfies(written -> {
            assertThat(written.added()).isEqualTo(200_000_000 + 810_000_000L);
            assertThat(written.inWords()).contains("), or to write the result 0.30 GB; with what is in use");
        });
    }

    @Test
    void adaptersAreMergedIntoTheLargestWeightLast() {
        assertThat(of(grpo(4, false, 0.0, null)).estimate().written()).isZero();
        assertThat(of(grpo(4, false, 0.0, LORA)).estimate().written())
                .as("a query matrix as in the file, as float32, and merged")
                .isEqualTo(10 * 32 * 32);
        assertThat(LoraAdapters.mergeBytes(TinyModels.published9B(), new LoraSettings(16, 32, null)))
                .as("the embedding as in the file, and as float32")
                .isEqualTo(6L * 248_320 * 4096);
    }

    @Test
    void whatWasResidentBeforeMayStayThePeak() {
        TrainingMemory small = new TrainingMemory(
                IN_USE,
                new TrainingMemory.Held(1, 0, 1, 2, 0),
                new GradientMemory.Parts(1, 1, 1, 0),
                new TrainingMemory.Sampling(0, 0, 0),
                0);
        assertThat(small.peak()).isEqualTo(1_500_000_000L);
        TrainingMemory unknown = new TrainingMemory(
                new TrainingMemory.InUse(null, null), small.held(), small.batch(), small.sampling(), 0);
        assertThat(unknown.peak()).isNull();
        assertThat(unknown.byName(false)).containsEntry("estimated_peak_mb", null);
        assertThat(unknown.inWords()).contains("in addition to memory in use");
    }

    @Test
    void whatDoesNotFitIsRefusedWithItsParts() {
        TrainingMemory memory = memory(200_000_000, 300_000_000);
        memory.requireWithin(1_010_000_000, "lower it");

        assertThatThrownBy(() -> memory.requireWithin(1_009_999_999, "lower training.batch-size"))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.OUT_OF_MEMORY))
                .hasMessage(
                        "the training needs about 1.01 GB of memory: 0.10 GB weights, 0.10 GB gradients, 0.20 GB moments,"
                                + " 0.05 GB reference; for a batch 0.20 GB (0.15 GB activations, 0.05 GB layer), or for"
                                + " rollouts 0.30 GB (0.30 GB caches); with what is in use 2.01 GB at its peak, and 1.01"
                                + " GB are free; lower training.batch-size");
    }

    @Test
    void anExampleThatTheModelDoesNotTakeIsRefusedBeforeAnythingRuns() {
        Refused.with(
                65,
                () -> SftMemory.of(
                        sft(4, false, false, null), TinyModels.config(40, 2, true), SftLossTest.examples(20, 4)),
                "tokens, the model takes 2");
    }

    @Test
    void whatLearnsHasAGradientAndTwoMoments() {
        long all = MODEL.parameterCount();
        TrainingMemory full = SftMemory.of(sft(4, false, false, null), MODEL, SftLossTest.examples(20, 4));
        assertThat(full.weights()).isEqualTo(4 * all);
        assertThat(full.learning()).isEqualTo(12 * all);

        TrainingMemory lora = SftMemory.of(sft(4, false, false, LORA), MODEL, SftLossTest.examples(20, 4));
        long adapters = 2 * 2 * (32 + 32);
        long norms = 2 * 2 * 32 + 32;
        assertThat(lora.weights()).as("all matrices, and the adapters").isEqualTo(4 * (all - norms + adapters));
        assertThat(lora.learning()).isEqualTo(12 * adapters);
    }

    @Test
    void moreTogetherTakesMoreAndCheckpointingLess() {
        List<SftExample> examples = SftLossTest.examples(40, 4);
        long four = SftMemory.of(sft(4, false, false, null), MODEL, examples).update();
        assertThat(SftMemory.of(sft(8, false, false, null), MODEL, examples).update())
                .isGreaterThan(four);
        assertThat(SftMemory.of(sft(4, false, true, null), MODEL, examples).update())
                .isLessThan(four);
        assertThat(SftMemory.of(sft(4, true, false, null), MODEL, examples).update())
                .isPositive();
    }

    private static TrainingMemory seeing(TrainVision learns, VisionConfig tower, List<SftExample> examples) {
        SftConfig text = sft(4, false, false, null);
        SftConfig config = new SftConfig(
                text.learningRate(),
                text.warmupRatio(),
                text.lrSchedulerType(),
                text.epochs(),
                text.batchSize(),
                text.gradientAccumulationSteps(),
                text.packing(),
                text.gradientCheckpointing(),
                text.maxGradNorm(),
                text.adamw(),
                text.precision(),
                text.lora(),
                learns,
                text.devShare(),
                text.selection(),
                text.samples(),
                text.evaluationSteps(),
                text.loggingSteps(),
                text.checkpointSteps(),
                text.seed());
        return SftMemory.of(config, new TrainingMemory.Estimator(config, MODEL, tower), examples);
    }

    @Test
    void aTowerIsCountedAndWhatLearnsOfItTakesMore() {
        List<SftExample> text = SftLossTest.examples(20, 4);
        List<SftExample> seen = IntStream.range(0, text.size())
                .mapToObj(i -> new SftExample(
                        text.get(i).prompt(), text.get(i).response(), List.of(FakeVisionEncoder.image(i + "-3x4.png"))))
                .toList();
        TrainingMemory before = seeing(TrainVision.NONE, TOWER, text);
        TrainingMemory frozen = seeing(TrainVision.NONE, TOWER, seen);
        assertThat(frozen.update() - before.update())
                .as("the features of four images, their gradient's room, and the pass that makes them once")
                .isEqualTo(4L * 12 * 32 * 4 * 2
                        + VisionMemory.of(TOWER, Precision.FP32, 4L * 12 * 4).bytes());
        assertThat(frozen.weights()).isEqualTo(4 * (MODEL.parameterCount() + TOWER.parameterCount()));
        assertThat(frozen.learning()).isEqualTo(12 * MODEL.parameterCount());
        TrainingMemory merger = seeing(TrainVision.MERGER, TOWER, seen);
        TrainingMemory all = seeing(TrainVision.ALL, TOWER, seen);
        assertThat(all.learning()).isEqualTo(12 * (MODEL.parameterCount() + TOWER.parameterCount()));
        assertThat(merger.learning()).isBetween(frozen.learning() + 1, all.learning() - 1);
        assertThat(merger.update()).isBetween(frozen.update(), all.update() - 1);
    }

    @Test
    void heldOutPromptsAreAnsweredByADecoderOfItsOwn() {
        List<SftExample> examples = SftLossTest.examples(20, 4);
        SftConfig silent = sft(4, false, false, null);
        SftConfig asking = new SftConfig(
                1e-3,
                0,
                LrSchedulerType.COSINE,
                2,
                4,
                1,
                false,
                false,
                1,
                ADAMW,
                PrecisionChoice.FP32,
                null,
                TrainVision.NONE,
                0.2,
                SftConfig.Selection.DEV_REWARD,
                0,
                null,
                1,
                9,
                1);
        assertThat(SftMemory.of(silent, MODEL, examples).rollouts()).isZero();
        assertThat(SftMemory.of(asking, MODEL, examples).rollouts()).isGreaterThan(4 * 2 * 32 * (32 + 32 + 2 * 48));
        assertThat(SftMemory.longestResponse(examples)).isBetween(1, 6);
    }

    @Test
    void grpoHasAReferenceWhereItIsAskedForAndRollouts() {
        TrainingMemory copied = of(grpo(4, false, 0.05, null)).estimate();
        assertThat(copied.reference()).isEqualTo(4 * (MODEL.parameterCount() - (2 * 2 * 32 + 32)));
        assertThat(copied.rollouts()).isPositive();
        assertThat(of(grpo(4, false, 0.0, null)).estimate().reference()).isZero();
        assertThat(of(grpo(4, false, 0.05, LORA)).estimate().reference())
                .as("the frozen weights themselves")
                .isZero();
        assertThat(of(grpo(8, false, 0.05, null)).estimate().update()).isGreaterThan(copied.update());
        assertThat(of(grpo(4, true, 0.05, null)).estimate().update()).isLessThan(copied.update());
    }

    @Test
    void examplesThatAreNotMadeYetTakeAtLeastAsMuch() {
        TowerMemory.Shown none = new TowerMemory.Shown(0, 0, 0);
        List<SftExample> examples = SftLossTest.examples(20, 4);
        int longest = examples.stream().mapToInt(SftExample::length).max().orElseThrow();
        SftConfig config = sft(4, false, false, null);
        TrainingMemory.Estimator estimator = new TrainingMemory.Estimator(config, MODEL);

        TrainingMemory bound = SftMemory.atMost(config, estimator, longest, none);
        TrainingMemory of = SftMemory.of(config, MODEL, examples);

        assertThat(bound.update()).isBetween(of.update(), 2 * of.update());
        assertThat(bound.weights()).isEqualTo(of.weights());
        GrpoConfig grpo = grpo(4, false, 0.05, null);
        TrainingMemory rollouts = new GrpoMemory(
                        grpo,
                        new GrpoSampling(4, 1, 0, 1, 12, 8),
                        estimator,
                        new GrpoMemory.PromptSize(20, 20, 1, none))
                .estimate();
        assertThat(rollouts.update()).isEqualTo(of(grpo).estimate().update());
        assertThat(rollouts.rollouts()).isEqualTo(of(grpo).estimate().rollouts());
        assertThat(rollouts.reference()).isEqualTo(of(grpo).estimate().reference());
    }

    /** The paper's base under adapters, one sequence at a time: of 8,192 tokens, and GRPO of the longest prompts of its recipe. */
    @Test
    void adaptersOfNineBillionFitOneCard() {
        DecoderConfig model = TinyModels.published9B();
        LoraSettings adapters = new LoraSettings(16, 32, null);
        TowerMemory.Shown none = new TowerMemory.Shown(0, 0, 0);
        SftConfig sft = lora(1, Precision.BF16, true, adapters);

        TrainingMemory tuned = SftMemory.atMost(sft, new TrainingMemory.Estimator(sft, model), 8192, none);
        GrpoConfig grpo = grpo(1, true, 0.05, adapters, PrecisionChoice.BF16);
        TrainingMemory optimised = new GrpoMemory(
                        grpo,
                        new GrpoSampling(8, 1, 0, 1, 1024, 64),
                        new TrainingMemory.Estimator(grpo, model),
                        new GrpoMemory.PromptSize(16_384, 16_384, 0, none))
                .estimate();

        assertThat(model.parameterCount()).isBetween(8_800_000_000L, 9_100_000_000L);
        assertThat(tuned.added()).as(tuned.inWords()).isLessThan(40_000_000_000L);
        assertThat(optimised.added()).as(optimised.inWords()).isLessThan(80_000_000_000L);
        assertThat(optimised.reference()).isZero();
        assertThat(optimised.sampling().decoder())
                .as("A and B in bf16, no copy of the matrices")
                .isBetween(2 * LoraAdapters.parameterCount(model, adapters), 400_000_000L);
    }

    @Test
    void blocksAreCopiedIntoBf16ForEvery1024Patches() {
        long block = TOWER.parameterShapes().entrySet().stream()
                .filter(entry -> VisionConfig.ofBlock(entry.getKey()))
                .mapToLong(entry -> LongStream.of(entry.getValue()).reduce(1, Math::multiplyExact))
                .sum();

        assertThat(growth(Precision.BF16, 256) - growth(Precision.BF16, 257)).isEqualTo(2 * block);
        assertThat(growth(Precision.FP32, 256))
                .as("the master weights themselves")
                .isEqualTo(growth(Precision.FP32, 257));
    }

    /** Returns the memory of one more token of four patches. */
    private static long growth(Precision precision, long tokens) {
        TowerMemory memory = new TowerMemory(TOWER, TrainVision.ALL, precision);
        return memory.update(new TowerMemory.Shown(tokens + 1, tokens + 1, tokens + 1))
                - memory.update(new TowerMemory.Shown(tokens, tokens, tokens));
    }

    @Test
    void responsesOfAGroupShareTheImageOfTheirPrompt() {
        PromptImage image = new PromptImage("a", FakeVisionEncoder.image("3x4.png"), false);
        GrpoConfig config = grpo(8, false, 0.0, null);
        long text = of(config, TOWER, List.of()).estimate().update();

        assertThat(of(config, TOWER, List.of(image)).estimate().update() - text)
                .as(
                        "each of eight responses has its features, and of the four prompts each went through the tower once")
                .isEqualTo(8L * 12 * 32 * 4 * 2
                        + VisionMemory.of(TOWER, Precision.FP32, 4L * 12 * 4).bytes());
    }

    @Test
    void whatToLowerFollowsTheConfiguration() {
        assertThat(SftMemory.lower(sft(4, false, false, null), MODEL))
                .isEqualTo("lower training.batch-size (and raise training.gradient-accumulation-steps as much),"
                        + " set training.gradient-checkpointing to true, train adapters with training.lora,"
                        + " set training.precision to bf16, or take a smaller model");
        assertThat(SftMemory.lower(sft(1, false, true, LORA), MODEL))
                .isEqualTo("lower examples.max-length, set training.precision to bf16, or take a smaller model");
        assertThat(of(grpo(4, false, 0.0, LORA)).lower(memory(2, 1)))
                .startsWith("lower training.micro-batch-size, set training.gradient-checkpointing to true, set");
        assertThat(of(grpo(1, true, 0.0, LORA)).lower(memory(2, 1))).startsWith("lower rollouts.max-new-tokens, set");
        assertThat(of(grpo(1, true, 0.0, null)).lower(memory(1, 2)))
                .startsWith("lower rollouts.batch-size or rollouts.max-new-tokens, train adapters");
    }
}
