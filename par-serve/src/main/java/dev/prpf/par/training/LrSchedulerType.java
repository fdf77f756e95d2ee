package dev.prpf.par.training;

import java.util.function.DoubleUnaryOperator;

/** What the learning rate does after the warm-up; the names of transformers' {@code lr_scheduler_type}. */
public enum LrSchedulerType {
    /** It stays ({@code constant_with_warmup}). */
    CONSTANT(progress -> 1),
    /** It falls to zero along a line. */
    LINEAR(progress -> 1 - progress),
    /** It falls to zero along half a cosine (PRPF Table 4, "cosine annealing"). */
    COSINE(progress -> 0.5 * (1 + Math.cos(Math.PI * progress)));

    @SuppressWarnings("ImmutableEnumChecker") // the lambdas hold no state
    private final DoubleUnaryOperator share;

    LrSchedulerType(DoubleUnaryOperator share) {
        this.share = share;
    }

    /** The share of the peak, given the share of the steps after the warm-up that are done. */
    double share(double progress) {
        return share.applyAsDouble(progress);
    }
}
