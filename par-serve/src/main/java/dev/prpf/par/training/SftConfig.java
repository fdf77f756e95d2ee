package dev.prpf.par.training;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import org.jspecify.annotations.Nullable;

/**
 * The settings of supervised fine-tuning; the {@code training:} section of {@code configs/reasoner-sft*.yaml}.
 *
 * @param learningRate highest learning rate, after the warm-up
 * @param warmupRatio share of the optimizer steps with a rising learning rate
 * @param lrSchedulerType learning rate after the warm-up
 * @param epochs passes over the examples
 * @param batchSize examples computed together
 * @param gradientAccumulationSteps batches per optimizer step
 * @param packing whether short examples of a batch share a row, to save padding
 * @param gradientCheckpointing whether layers are computed again in the backward pass: a third more time, far less memory
 * @param maxGradNorm gradients of a larger norm are scaled down to it
 * @param adamw constants of the optimizer
 * @param precision of the computation, {@code auto} by this machine; master weights and optimizer are always float32
 * @param lora adapters to train, with frozen weights; null to train all weights
 * @param trainVision part of the vision encoder to train, if prompts have images
 * @param devShare share of the examples that is held out for evaluation, in [0, 0.5]
 * @param selection the state that becomes the result; all evaluated states are compared on the held-out share
 * @param samples held-out prompts with responses logged at every evaluation
 * @param evaluationSteps optimizer steps between two evaluations on the held-out share; null for one after every epoch
 * @param loggingSteps optimizer steps between two lines of metrics
 * @param checkpointSteps optimizer steps between two checkpoints
 * @param seed of the order and the held-out share
 */
public record SftConfig(
        double learningRate,
        double warmupRatio,
        LrSchedulerType lrSchedulerType,
        int epochs,
        int batchSize,
        int gradientAccumulationSteps,
        boolean packing,
        boolean gradientCheckpointing,
        double maxGradNorm,
        AdamWSettings adamw,
        PrecisionChoice precision,
        @Nullable LoraSettings lora,
        TrainVision trainVision,
        double devShare,
        Selection selection,
        int samples,
        @Nullable Integer evaluationSteps,
        int loggingSteps,
        int checkpointSteps,
        long seed)
        implements TrainingConfig {
    /** The state of the model that becomes the result. */
    public enum Selection {
        /** The last state of the training. */
        LAST,
        /** The state with the lowest loss on the held-out examples. */
        DEV_LOSS,
        /** The state with the highest reward of greedy answers to the held-out prompts. */
        DEV_REWARD
    }

    public SftConfig {
        require(learningRate > 0, "learning-rate", learningRate, "> 0");
        require(warmupRatio >= 0 && warmupRatio < 1, "warmup-ratio", warmupRatio, "in [0, 1)");
        require(epochs > 0, "epochs", epochs, "at least 1");
        require(batchSize > 0, "batch-size", batchSize, "at least 1");
        require(gradientAccumulationSteps > 0, "gradient-accumulation-steps", gradientAccumulationSteps, "at least 1");
        require(maxGradNorm > 0, "max-grad-norm", maxGradNorm, "> 0");
        require(devShare >= 0 && devShare <= 0.5, "dev-share", devShare, "in [0, 0.5]");
        require(selection == Selection.LAST || devShare > 0, "dev-share", devShare, "> 0 for this selection");
        require(samples >= 0, "samples", samples, "at least 0");
        require(evaluationSteps == null || evaluationSteps > 0, "evaluation-steps", evaluationSteps, "at least 1");
        require(loggingSteps > 0, "logging-steps", loggingSteps, "at least 1");
        require(checkpointSteps > 0, "checkpoint-steps", checkpointSteps, "at least 1");
    }

    /** Returns whether the model answers held-out prompts. */
    public boolean predicts() {
        return devShare > 0 && (selection == Selection.DEV_REWARD || samples > 0);
    }
}
