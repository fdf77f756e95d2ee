package dev.prpf.par.grpo;

/**
 * How the rewards of a group become advantages.
 *
 * @param scale what the distance from the mean is divided by
 * @param epsilon added to the standard deviation, δ of PRPF eq. 14
 */
public record AdvantageSettings(Scale scale, double epsilon) {
    /** The divisor. */
    public enum Scale {
        /** The standard deviation over n - 1, as torch.std. */
        SAMPLE_STD,
        /** The standard deviation over n, as numpy.std. */
        POPULATION_STD,
        /** Nothing (Dr. GRPO, arXiv:2503.20783). */
        NONE
    }

    public AdvantageSettings {
        if (!(epsilon >= 0 && epsilon < 1)) {
            throw new IllegalArgumentException("epsilon = " + epsilon + " must be in [0, 1)");
        }
    }
}
