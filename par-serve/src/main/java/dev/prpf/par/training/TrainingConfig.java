package dev.prpf.par.training;

import dev.prpf.par.engine.PrecisionChoice;
import dev.prpf.par.lora.LoraSettings;
import org.jspecify.annotations.Nullable;

/** The common settings of {@link SftConfig} and {@link dev.prpf.par.training.grpo.GrpoConfig}, described there. */
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
