package dev.prpf.par.training;

import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the {@link TrainingMemory} of GRPO, in which every response has the maximum length.
 *
 * @param estimator of the configuration and the model
 */
public record GrpoMemory(
        GrpoConfig config, GrpoSampling sampling, TrainingMemory.Estimator estimator, PromptSize size) {
    /**
     * The sizes of prompts, which need not exist yet.
     *
     * @param longest tokens of the longest prompt
     * @param longestHeld tokens of the longest held-out prompt
     * @param held number of held-out prompts
     * @param images tokens of one prompt's images, and of the largest image
     */
    public record PromptSize(int longest, int longestHeld, int held, TowerMemory.Shown images) {
        static PromptSize of(PromptSplit prompts) {
            return new PromptSize(
                    PromptExample.longest(prompts.train()),
                    PromptExample.longest(prompts.dev()),
                    prompts.dev().size(),
                    shown(prompts.train()));
        }

        private static TowerMemory.Shown shown(List<PromptExample> prompts) {
            long seen = prompts.stream()
                    .mapToLong(prompt -> PromptImage.tokens(prompt.prompt().shown()))
                    .max()
                    .orElse(0);
            long largest = prompts.stream()
                    .flatMap(prompt -> prompt.prompt().images().stream())
                    .mapToLong(image -> image.grid().tokens())
                    .max()
                    .orElse(0);
            return new TowerMemory.Shown(seen, seen, largest);
        }
    }

    /** Creates an estimate for given prompts; {@code vision} is the vision encoder, or null without images. */
    public GrpoMemory(
            GrpoConfig config,
            GrpoSampling sampling,
            DecoderConfig model,
            @Nullable VisionConfig vision,
            PromptSplit prompts) {
        this(config, sampling, new TrainingMemory.Estimator(config, model, vision), PromptSize.of(prompts));
    }

    /** Returns the responses in one pass, at most {@code batch}. */
    private int rows(int batch) {
        return Math.min(batch, config.promptsPerStep() * sampling.groupSize());
    }

    /** Estimates the memory of the training on its prompts. */
    public TrainingMemory estimate() {
        return estimator.memory(config.objective().klCoefficient() > 0, update(), rollouts());
    }

    private GradientMemory.Parts update() {
        int rows = rows(config.microBatchSize());
        int width = SftBatch.width(size.longest() + sampling.maxNewTokens());
        long labels = SftBatch.rows((long) rows * sampling.maxNewTokens());
        return estimator.update(
                new GradientMemory.Batch(rows, width, labels, false), DecoderPass.SCORED_LOGIT_BYTES, shown(rows));
    }

    /** Returns the most images of a batch of responses: all responses of a group show the images of their prompt. */
    private TowerMemory.Shown shown(int rows) {
        TowerMemory.Shown one = size.images();
        long distinct = Math.min(rows, config.promptsPerStep()) * one.distinct();
        return new TowerMemory.Shown(rows * one.tokens(), distinct, one.largest());
    }

    /** Returns the memory of rollouts of groups, or of the held-out prompts, which are answered once each. */
    private TrainingMemory.Sampling rollouts() {
        int rows = rows(sampling.batchSize());
        int held = Math.min(sampling.batchSize(), size.held());
        int maxNewTokens = sampling.maxNewTokens();
        return estimator
                .sampling(rows, config.promptsPerStep(), size.longest(), maxNewTokens)
                .max(estimator.sampling(held, held, size.longestHeld(), maxNewTokens));
    }

    /** Returns advice for needing less memory. */
    public String lower(TrainingMemory memory) {
        boolean sampling = memory.rollouts() > memory.update();
        String gradients =
                config.microBatchSize() > 1 ? "lower training.micro-batch-size" : "lower rollouts.max-new-tokens";
        return estimator.lower(
                sampling ? "lower rollouts.batch-size or rollouts.max-new-tokens" : gradients, !sampling);
    }
}
