package dev.prpf.par.training;

/**
 * AdamW's constants.
 *
 * @param beta1 decay of the mean
 * @param beta2 decay of the square
 * @param epsilon added to the root of the square
 * @param weightDecay of matrices; norms are not decayed
 */
public record AdamWSettings(double beta1, double beta2, double epsilon, double weightDecay) {
    public AdamWSettings {
        if (!(beta1 >= 0 && beta1 < 1)) {
            throw new IllegalArgumentException("beta1 = " + beta1 + " must lie in [0, 1)");
        }
        if (!(beta2 >= 0 && beta2 < 1)) {
            throw new IllegalArgumentException("beta2 = " + beta2 + " must lie in [0, 1)");
        }
        if (!(epsilon > 0)) {
            throw new IllegalArgumentException("epsilon = " + epsilon + " must be > 0");
        }
        if (!(weightDecay >= 0)) {
            throw new IllegalArgumentException("weight-decay = " + weightDecay + " must be >= 0");
        }
    }
}
