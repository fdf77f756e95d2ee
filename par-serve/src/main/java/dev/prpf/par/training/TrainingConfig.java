package dev.prpf.par.training;

import dev.prpf.par.engine.PrecisionChoice;
import dev.prpf.par.lora.LoraSettings;
import org.jspecify.annotations.Nullable;

/** The settings that {@link SftConfig} and {@link dev.prpf.par.training.grpo.GrpoConfig} have in common; they describe them. */
public interface TrainingConfig {
    double learningRate();

    double warmupRatio();

    LrSchedulerType lrSchedulerType();

    boolean gradientCheckpointing();

    double maxGradNorm();

    AdamWSettings adamw();

    PrecisionChoice precision();

    @Nullable
    LoraSettings lora();

    TrainVision trainVision();

    Enum<?> selection();

    int checkpointSteps();

    long seed();
}
