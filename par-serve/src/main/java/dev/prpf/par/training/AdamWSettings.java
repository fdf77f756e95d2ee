package dev.prpf.par.training;

import dev.prpf.base.config.Rule;

/**
 * The constants of AdamW.
 *
 * @param beta1 decay of the mean
 * @param beta2 decay of the square
 * @param epsilon added to the root of the square
 * @param weightDecay of matrices; norms are not decayed
 */
public record AdamWSettings(double beta1, double beta2, double epsilon, double weightDecay) {
    public AdamWSettings {
        Rule.require(beta1 >= 0 && beta1 < 1, "beta1", beta1, "in [0, 1)");
        Rule.require(beta2 >= 0 && beta2 < 1, "beta2", beta2, "in [0, 1)");
        Rule.require(epsilon > 0, "epsilon", epsilon, "> 0");
        Rule.require(weightDecay >= 0, "weight-decay", weightDecay, ">= 0");
    }
}
