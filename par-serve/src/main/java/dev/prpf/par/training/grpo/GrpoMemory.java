package dev.prpf.par.training.grpo;

import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationMemory;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.SftBatch;
import dev.prpf.par.training.TrainingMemory;

/** {@link TrainingMemory} of GRPO, every response as long as it may be. */
public record GrpoMemory(GrpoConfig config, GrpoSampling sampling, DecoderConfig model, PromptSplit prompts) {
    /** Tempered logits, what goes back through their logarithm of a sum, and through the label's own; float32. */
    private static final int LOGIT_BYTES = 6 * Float.BYTES;

    /** What the training with its prompts takes. */
    public TrainingMemory estimate() {
        TrainingMemory.Model weights = TrainingMemory.Model.of(model, config.lora());
        return new TrainingMemory(
                TrainingMemory.InUse.now(),
                weights.weights(),
                weights.learning(),
                config.objective().klCoefficient() > 0 ? reference() : 0,
                update(),
                rollouts());
    }

    private Precision precision() {
        return config.precision().resolve();
    }

    /** Under adapters the reference shares what it can with the weights; a copy shares nothing. */
    private long reference() {
        boolean copied = config.lora() == null && precision() == Precision.FP32;
        return copied
                ? Float.BYTES * model.parameterCount()
                : FusedShape.linear(model, precision()).bytes();
    }

    private long update() {
        GradientMemory gradient = new GradientMemory(model, precision(), config.lora() == null);
        int rows = Math.min(config.microBatchSize(), responses());
        int width = SftBatch.width(PromptExample.longest(prompts.train()) + sampling.maxNew());
        long labels = SftBatch.rows((long) rows * sampling.maxNew());
        GradientMemory.Batch batch = new GradientMemory.Batch(rows, width, labels, false);
        return TrainingMemory.update(gradient, model, batch, LOGIT_BYTES, config.gradientCheckpointing());
    }

    private int responses() {
        return config.promptsPerStep() * sampling.groupSize();
    }

    /** Groups share their prompt; the held-out prompts are answered once each. */
    private long rollouts() {
        FusedShape decoder = FusedShape.of(model, precision());
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
                        + TrainingMemory.checkpointing(config.gradientCheckpointing());
        return first + TrainingMemory.smaller(config.lora(), config.precision());
    }
}
