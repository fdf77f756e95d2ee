package dev.prpf.par.training.grpo;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.PrecisionChoice;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.AdamWSettings;
import dev.prpf.par.training.LrSchedulerType;
import dev.prpf.par.training.TrainVision;
import dev.prpf.par.training.TrainingConfig;
import org.jspecify.annotations.Nullable;

/**
 * How GRPO runs; the {@code training:} section of {@code configs/par-grpo*.yaml}.
 *
 * @param loss the objective's preset (docs/GRPO.md)
 * @param klCoefficient β instead of the preset's; null for the preset's
 * @param learningRate its peak
 * @param warmupRatio the share of the steps that rise to it
 * @param lrSchedulerType what it does after
 * @param epochs passes over the prompts
 * @param maxSteps optimizer steps at most, or null for all that the epochs have
 * @param promptsPerStep prompts whose rollouts a step learns from
 * @param updatesPerRollout optimizer updates a step makes on its rollouts, each on all of them (TRL's {@code num_iterations}); from the
 *     second on the policy is no longer the one that wrote them, and the objective's clip acts
 * @param importanceSamplingClipMax truncates the weight exp(old - sampled) that corrects a token's loss for the rounding by which the engine
 *     that sampled differs from the one that trains (truncated importance sampling; TRL's {@code vllm_importance_sampling_clip_max}); null for no
 *     correction
 * @param microBatchSize responses whose gradient is computed together
 * @param gradientCheckpointing whether layers are computed again on the way back: a third more time, far less memory
 * @param maxGradNorm gradients of a larger norm are scaled down to it
 * @param adamw the optimizer's constants
 * @param precision of rollouts, gradients and reference, {@code auto} by this machine; master weights and optimizer are float32 always
 * @param lora adapters to train beside frozen weights; null if all weights learn
 * @param trainVision what of the vision tower learns too, where prompts show pictures
 * @param devShare of the prompts, held out to compare policies by, in [0, 0.5]
 * @param selection which policy becomes the result: the last (as in the paper), or the one whose greedy answers to the held-out prompts earn
 *     most, the start among them
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
        LrSchedulerType lrSchedulerType,
        int epochs,
        @Nullable Integer maxSteps,
        int promptsPerStep,
        int updatesPerRollout,
        @Nullable Double importanceSamplingClipMax,
        int microBatchSize,
        boolean gradientCheckpointing,
        double maxGradNorm,
        AdamWSettings adamw,
        PrecisionChoice precision,
        @Nullable LoraSettings lora,
        TrainVision trainVision,
        double devShare,
        Selection selection,
        int evaluationSteps,
        int loggingSteps,
        int checkpointSteps,
        long seed)
        implements TrainingConfig {
    /** Which policy becomes the result. */
    public enum Selection {
        LAST,
        DEV_REWARD
    }

    public GrpoConfig {
        GrpoPreset.named(loss);
        require(klCoefficient == null || klCoefficient >= 0, "kl-coefficient", klCoefficient, "at least 0");
        require(learningRate > 0, "learning-rate", learningRate, "> 0");
        require(warmupRatio >= 0 && warmupRatio < 1, "warmup-ratio", warmupRatio, "in [0, 1)");
        require(epochs > 0, "epochs", epochs, "at least 1");
        require(maxSteps == null || maxSteps > 0, "max-steps", maxSteps, "at least 1");
        require(promptsPerStep > 0, "prompts-per-step", promptsPerStep, "at least 1");
        require(updatesPerRollout > 0, "updates-per-rollout", updatesPerRollout, "at least 1");
        require(
                importanceSamplingClipMax == null || importanceSamplingClipMax >= 1,
                "importance-sampling-clip-max",
                importanceSamplingClipMax,
                "null or at least 1");
        require(microBatchSize > 0, "micro-batch-size", microBatchSize, "at least 1");
        require(maxGradNorm > 0, "max-grad-norm", maxGradNorm, "> 0");
        require(devShare >= 0 && devShare <= 0.5, "dev-share", devShare, "in [0, 0.5]");
        require(evaluationSteps > 0, "evaluation-steps", evaluationSteps, "at least 1");
        require(loggingSteps > 0, "logging-steps", loggingSteps, "at least 1");
        require(checkpointSteps > 0, "checkpoint-steps", checkpointSteps, "at least 1");
    }

    long steps(PromptSplit prompts) {
        long steps = (long) epochs * prompts.steps(promptsPerStep);
        return maxSteps == null ? steps : Math.min(steps, maxSteps);
    }

    /** The objective. */
    public GrpoSettings objective() {
        GrpoSettings preset = GrpoPreset.named(loss).settings();
        return klCoefficient == null ? preset : preset.withKlCoefficient(klCoefficient);
    }
}
