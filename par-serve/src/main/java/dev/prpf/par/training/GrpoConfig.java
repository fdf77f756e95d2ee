package dev.prpf.par.training;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import org.jspecify.annotations.Nullable;

/**
 * The settings of GRPO; the {@code training:} section of {@code configs/reasoner-grpo*.yaml}.
 *
 * @param loss the objective's preset (docs/GRPO.md)
 * @param klCoefficient β; null for the preset's
 * @param learningRate highest learning rate, after the warm-up
 * @param warmupRatio share of the optimizer steps with a rising learning rate
 * @param lrSchedulerType learning rate after the warm-up
 * @param epochs passes over the prompts
 * @param maxSteps maximum number of optimizer steps; null for those of all epochs
 * @param promptsPerStep prompts per step, each with its rollouts
 * @param updatesPerRollout optimizer updates per step, each on all of its rollouts (TRL's {@code num_iterations}). From the second on, the policy
 *     differs from the one that sampled them, and the objective's clip acts
 * @param importanceSamplingClipMax truncates the weight exp(old - sampled) of a token's loss, which corrects rounding differences between
 *     sampling and training (truncated importance sampling, TRL's {@code vllm_importance_sampling_clip_max}). Null for no correction
 * @param microBatchSize responses with gradients computed together
 * @param gradientCheckpointing whether layers are computed again in the backward pass: a third more time, far less memory
 * @param maxGradNorm gradients of a larger norm are scaled down to it
 * @param adamw constants of the optimizer
 * @param precision of rollouts, gradients and reference, {@code auto} by this machine; master weights and optimizer are always float32
 * @param lora adapters to train, with frozen weights; null to train all weights
 * @param trainVision part of the vision encoder to train, if prompts have images
 * @param devShare share of the prompts that is held out to compare policies, in [0, 0.5]
 * @param selection the policy that becomes the result. It is the last (as in the paper), or the one with the highest reward on the held-out
 *     prompts, the start included
 * @param evaluationSteps optimizer steps between two evaluations on the held-out prompts
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
    /** The policy that becomes the result. */
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

    public GrpoSettings objective() {
        GrpoSettings preset = GrpoPreset.named(loss).settings();
        return klCoefficient == null ? preset : preset.withKlCoefficient(klCoefficient);
    }
}
