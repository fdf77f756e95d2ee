package dev.prpf.par.training;

import dev.prpf.base.config.Rule;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import org.jspecify.annotations.Nullable;

/** The common settings of {@link SftConfig} and {@link dev.prpf.par.training.GrpoConfig}, described there. */
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

    /** The learning rate after the warm-up; the names of transformers' {@code lr_scheduler_type}. */
    enum LrSchedulerType {
        /** Constant after the warm-up ({@code constant_with_warmup}). */
        CONSTANT,
        /** Linear decay to zero. */
        LINEAR,
        /** Half a cosine, to zero (PRPF Table 4, "cosine annealing"). */
        COSINE
    }

    /** The trained part of a vision encoder, in addition to the decoder. */
    enum TrainVision {
        /** No part: an image's features are computed once and cached. */
        NONE,
        /** The merger, which projects features into the decoder's space. */
        MERGER,
        /** The whole vision encoder. */
        ALL
    }

    /**
     * The constants of AdamW.
     *
     * @param beta1 decay of the gradients' running mean
     * @param beta2 decay of the gradients' running square
     * @param epsilon added to the root of the running square
     * @param weightDecay decoupled decay of matrices, not of norms
     */
    record AdamWSettings(double beta1, double beta2, double epsilon, double weightDecay) {
        public AdamWSettings {
            Rule.require(beta1 >= 0 && beta1 < 1, "beta1", beta1, "in [0, 1)");
            Rule.require(beta2 >= 0 && beta2 < 1, "beta2", beta2, "in [0, 1)");
            Rule.require(epsilon > 0, "epsilon", epsilon, "> 0");
            Rule.require(weightDecay >= 0, "weight-decay", weightDecay, ">= 0");
        }
    }

    /**
     * Settings that change losses and gradients only by rounding.
     *
     * @param precision of the products
     * @param packing whether short sequences share a row
     * @param checkpointing whether layers are computed again in the backward pass instead of being stored
     */
    record ComputeSettings(Precision precision, boolean packing, boolean checkpointing) {}
}
