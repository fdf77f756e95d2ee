package dev.prpf.par.training;

/** What the learning rate does after the warm-up; the names of transformers' {@code lr_scheduler_type}. */
public enum LrSchedulerType {
    /** It stays ({@code constant_with_warmup}). */
    CONSTANT,
    /** It falls to zero along a line. */
    LINEAR,
    /** It falls to zero along half a cosine (PRPF Table 4, "cosine annealing"). */
    COSINE
}
