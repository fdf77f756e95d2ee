package dev.prpf.par.training.grpo;

import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.SftBatch;
import dev.prpf.par.training.TowerMemory;
import dev.prpf.par.training.TrainingMemory;
import dev.prpf.par.vision.PromptPicture;
import dev.prpf.par.vision.VisionConfig;
import org.jspecify.annotations.Nullable;

/**
 * {@link TrainingMemory} of GRPO, every response as long as it may be.
 *
 * @param vision of the tower that sees the prompts' pictures; null where there are none
 */
public record GrpoMemory(
        GrpoConfig config,
        GrpoSampling sampling,
        DecoderConfig model,
        @Nullable VisionConfig vision,
        PromptSplit prompts) {
    /** Of prompts of text. */
    public GrpoMemory(GrpoConfig config, GrpoSampling sampling, DecoderConfig model, PromptSplit prompts) {
        this(config, sampling, model, null, prompts);
    }

    /** Tempered logits, what goes back through their logarithm of a sum, and through the label's own; float32. */
    private static final int LOGIT_BYTES = 6 * Float.BYTES;

    private TrainingMemory.Estimator estimator() {
        return new TrainingMemory.Estimator(config, model, vision);
    }

    /** Responses that go through the model together, at most {@code batch}. */
    private int rows(int batch) {
        return Math.min(batch, config.promptsPerStep() * sampling.groupSize());
    }

    /** What the training with its prompts takes. */
    public TrainingMemory estimate() {
        return estimator().memory(config.objective().klCoefficient() > 0 ? reference() : 0, update(), rollouts());
    }

    /** Under adapters the reference shares what it can with the weights; a copy shares nothing. */
    private long reference() {
        Precision precision = estimator().precision();
        boolean copied = config.lora() == null && precision == Precision.FP32;
        return copied
                ? Float.BYTES * model.parameterCount()
                : FusedShape.linear(model, precision).bytes();
    }

    private long update() {
        int rows = rows(config.microBatchSize());
        int width = SftBatch.width(PromptExample.longest(prompts.train()) + sampling.maxNewTokens());
        long labels = SftBatch.rows((long) rows * sampling.maxNewTokens());
        return estimator().update(new GradientMemory.Batch(rows, width, labels, false), LOGIT_BYTES)
                + estimator().pictures(shown(rows));
    }

    /** What a batch of responses shows at most: those of a group show the pictures of its prompt. */
    private TowerMemory.Shown shown(int rows) {
        long seen = prompts.train().stream()
                .mapToLong(prompt -> PromptPicture.tokens(prompt.pictures()))
                .max()
                .orElse(0);
        long largest = prompts.train().stream()
                .flatMap(prompt -> prompt.seen().stream())
                .mapToLong(picture -> picture.grid().tokens())
                .max()
                .orElse(0);
        return new TowerMemory.Shown(rows * seen, Math.min(rows, config.promptsPerStep()) * seen, largest);
    }

    /** Of groups, or of the held-out prompts, which are answered once each. */
    private long rollouts() {
        int rows = rows(sampling.batchSize());
        int held = Math.min(sampling.batchSize(), prompts.dev().size());
        int maxNewTokens = sampling.maxNewTokens();
        return Math.max(
                estimator().rollouts(rows, PromptExample.longest(prompts.train()), maxNewTokens),
                estimator().rollouts(held, PromptExample.longest(prompts.dev()), maxNewTokens));
    }

    /** What makes it smaller. */
    public String lower(TrainingMemory memory) {
        boolean sampling = memory.rollouts() > memory.update();
        String gradients =
                config.microBatchSize() > 1 ? "lower training.micro-batch-size" : "lower rollouts.max-new-tokens";
        return estimator()
                .lower(sampling ? "lower rollouts.batch-size or rollouts.max-new-tokens" : gradients, !sampling);
    }
}
