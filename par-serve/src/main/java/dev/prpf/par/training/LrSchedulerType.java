package dev.prpf.par.training;

/** What the learning rate does after the warm-up; the names of transformers' {@code lr_scheduler_type}. */
public enum LrSchedulerType {
    /** It stays ({@code constant_with_warmup}). */
    CONSTANT {
        @Override
        double share(double progress) {
            return 1;
        }
    },
    /** It falls to zero along a line. */
    LINEAR {
        @Override
        double share(double progress) {
            return 1 - progress;
        }
    },
    /** It falls to zero along half a cosine (PRPF Table 4, "cosine annealing"). */
    COSINE {
        @Override
        double share(double progress) {
            return 0.5 * (1 + Math.cos(Math.PI * progress));
        }
    };

    /** The share of the peak, given the share of the steps after the warm-up that are done. */
    abstract double share(double progress);
}
