package dev.prpf.par.training;

/** The learning rate after the warm-up; the names of transformers' {@code lr_scheduler_type}. */
public enum LrSchedulerType {
    /** Constant after the warm-up ({@code constant_with_warmup}). */
    CONSTANT,
    /** Linear decay to zero. */
    LINEAR,
    /** Half a cosine, to zero (PRPF Table 4, "cosine annealing"). */
    COSINE
}
