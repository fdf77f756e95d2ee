package dev.prpf.par.training.grpo;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.PrecisionChoice;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.training.AdamWSettings;
import org.jspecify.annotations.Nullable;

/**
 * How GRPO runs; the {@code training:} section of {@code configs/par-grpo*.yaml}.
 *
 * @param loss the objective's preset (docs/GRPO.md)
 * @param klCoefficient β instead of the preset's; null for the preset's
 * @param learningRate its peak
 * @param warmupRatio the share of the steps that rise to it; a cosine falls to zero after
 * @param epochs passes over the prompts
 * @param maxSteps optimizer steps at most, or null for all that the epochs have
 * @param promptsPerStep prompts that are rolled out for an optimizer step
 * @param microBatchSize responses whose gradient is computed together
 * @param gradientCheckpointing whether layers are computed again on the way back: a third more time, far less memory
 * @param maxGradNorm gradients of a larger norm are scaled down to it
 * @param adamw the optimizer's constants
 * @param precision of rollouts, gradients and reference, {@code auto} by this machine; master weights and optimizer are float32 always
 * @param lora adapters to train beside frozen weights; null if all weights learn
 * @param devShare of the prompts, held out to compare policies by, in [0, 0.5]
 * @param evaluationSteps optimizer steps between two evaluations on them
 * @param loggingSteps optimizer steps between two lines of samples
 * @param checkpointSteps optimizer steps between two checkpoints
 * @param seed of the order, the held-out share and the draws
 */
public record GrpoConfig(
        String loss,
        @Nullable Double klCoefficient,
        double learningRate,
        double warmupRatio,
        int epochs,
        @Nullable Integer maxSteps,
        int promptsPerStep,
        int microBatchSize,
        boolean gradientCheckpointing,
        double maxGradNorm,
        AdamWSettings adamw,
        PrecisionChoice precision,
        @Nullable LoraSettings lora,
        double devShare,
        int evaluationSteps,
        int loggingSteps,
        int checkpointSteps,
        long seed) {
    public GrpoConfig {
        GrpoPreset.named(loss);
        require(klCoefficient == null || klCoefficient >= 0, "kl-coefficient", klCoefficient, "at least 0");
        require(learningRate > 0, "learning-rate", learningRate, "> 0");
        require(warmupRatio >= 0 && warmupRatio < 1, "warmup-ratio", warmupRatio, "in [0, 1)");
        require(epochs > 0, "epochs", epochs, "at least 1");
        require(maxSteps == null || maxSteps > 0, "max-steps", maxSteps, "at least 1");
        require(promptsPerStep > 0, "prompts-per-step", promptsPerStep, "at least 1");
        require(microBatchSize > 0, "micro-batch-size", microBatchSize, "at least 1");
        require(maxGradNorm > 0, "max-grad-norm", maxGradNorm, "> 0");
        require(devShare >= 0 && devShare <= 0.5, "dev-share", devShare, "in [0, 0.5]");
        require(evaluationSteps > 0, "evaluation-steps", evaluationSteps, "at least 1");
        require(loggingSteps > 0, "logging-steps", loggingSteps, "at least 1");
        require(checkpointSteps > 0, "checkpoint-steps", checkpointSteps, "at least 1");
    }

    /** The objective. */
    public GrpoSettings objective() {
        GrpoSettings preset = GrpoPreset.named(loss).settings();
        return klCoefficient == null ? preset : preset.withKlCoefficient(klCoefficient);
    }
}
