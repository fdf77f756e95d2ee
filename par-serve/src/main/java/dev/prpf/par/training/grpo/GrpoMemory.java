package dev.prpf.par.training.grpo;

import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationMemory;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.LogitPieces;
import dev.prpf.par.training.SftBatch;
import dev.prpf.par.training.TrainingMemory;

/** {@link TrainingMemory} of GRPO, every response as long as it may be. */
public final class GrpoMemory {
    /** Tempered logits, what goes back through their logarithm of a sum, and through the label's own; float32. */
    private static final int LOGIT_BYTES = 6 * Float.BYTES;

    private final GrpoConfig config;
    private final GrpoSampling sampling;
    private final DecoderConfig model;
    private final PromptSplit prompts;
    private final Precision precision;

    private GrpoMemory(GrpoConfig config, GrpoSampling sampling, DecoderConfig model, PromptSplit prompts) {
        this.config = config;
        this.sampling = sampling;
        this.model = model;
        this.prompts = prompts;
        precision = config.precision().resolve();
    }

    /** Of a training with its prompts. */
    public static TrainingMemory of(
            GrpoConfig config, GrpoSampling sampling, DecoderConfig model, PromptSplit prompts) {
        GrpoMemory memory = new GrpoMemory(config, sampling, model, prompts);
        TrainingMemory.Model weights = TrainingMemory.Model.of(model, config.lora());
        return new TrainingMemory(
                TrainingMemory.InUse.now(),
                weights.weights(),
                weights.learning(),
                config.objective().klCoefficient() > 0 ? memory.reference() : 0,
                memory.update(),
                memory.rollouts());
    }

    /** Under adapters the reference shares what it can with the weights; a copy shares nothing. */
    private long reference() {
        boolean copied = config.lora() == null && precision == Precision.FP32;
        return copied
                ? Float.BYTES * model.parameterCount()
                : FusedShape.linear(model, precision).bytes();
    }

    private long update() {
        GradientMemory gradient = new GradientMemory(model, precision, config.lora() == null);
        int rows = Math.min(config.microBatchSize(), responses());
        int width = SftBatch.width(PromptExample.longest(prompts.train()) + sampling.maxNew());
        long labels = SftBatch.rows((long) rows * sampling.maxNew());
        GradientMemory.Batch batch = new GradientMemory.Batch(rows, width, labels, false);
        return config.gradientCheckpointing()
                ? gradient.checkpointed(batch, new GradientMemory.Logits(LOGIT_BYTES, LogitPieces.rowsTogether(model)))
                : gradient.remembered(batch, new GradientMemory.Logits(LOGIT_BYTES, labels));
    }

    private int responses() {
        return config.promptsPerStep() * sampling.groupSize();
    }

    /** Groups share their prompt; the held-out prompts are answered once each. */
    private long rollouts() {
        FusedShape decoder = FusedShape.of(model, precision);
        int rows = Math.min(sampling.batchSize(), responses());
        int groups = Math.max(1, rows / sampling.groupSize());
        long sampled = written(decoder, rows, groups, PromptExample.longest(prompts.train()));
        int held = Math.min(sampling.batchSize(), prompts.dev().size());
        long evaluated = held == 0 ? 0 : written(decoder, held, held, PromptExample.longest(prompts.dev()));
        long merged = config.lora() == null ? 0 : Float.BYTES * model.parameterCount();
        return decoder.bytes() + Math.max(merged, Math.max(sampled, evaluated));
    }

    private long written(FusedShape decoder, int rows, int prompts, int longest) {
        return GenerationMemory.of(decoder, rows, prompts, longest, sampling.maxNew())
                .bytes();
    }

    /** What makes it smaller. */
    public static String lower(GrpoConfig config, TrainingMemory memory) {
        String first = memory.rollouts() > memory.update()
                ? "lower rollouts.batch-size or rollouts.max-new"
                : (config.microBatchSize() > 1 ? "lower training.micro-batch-size" : "lower rollouts.max-new")
                        + (config.gradientCheckpointing() ? "" : ", set training.gradient-checkpointing to true");
        return first
                + (config.lora() == null ? ", train adapters with training.lora" : "")
                + (config.precision().resolve() == Precision.FP32 ? ", set training.precision to bf16" : "")
                + ", or take a smaller model";
    }
}
