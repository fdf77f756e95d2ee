package dev.prpf.par.grpo;

import static dev.prpf.base.config.Rule.require;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a GRPO objective. Per token it is -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A) + klCoefficient k3. Here r = exp(now - old) and k3 = exp(ref -
 * now) - (ref - now) - 1.
 *
 * @param level tokens or responses of r
 * @param aggregation of tokens to one number
 * @param clipLow ε below 1
 * @param clipHigh ε above 1
 * @param dualClip c: where A is negative the loss is at most -c A; null for none
 * @param logBound log-ratios are clamped to it on both sides and k3 to 10, as verl does; null for none
 */
public record GrpoSettings(
        AdvantageSettings advantages,
        ImportanceLevel level,
        LossAggregation aggregation,
        double clipLow,
        double clipHigh,
        double klCoefficient,
        @Nullable Double dualClip,
        @Nullable Double logBound) {
    public GrpoSettings {
        require(clipLow > 0 && clipLow < 1, "clip-low", clipLow, "in (0, 1)");
        require(clipHigh > 0, "clip-high", clipHigh, "> 0");
        require(klCoefficient >= 0, "kl-coefficient", klCoefficient, "at least 0");
        require(dualClip == null || dualClip > 1, "dual-clip", dualClip, "> 1");
        require(logBound == null || logBound > 0, "log-bound", logBound, "> 0");
    }

    /** Returns this objective with another β. */
    public GrpoSettings withKlCoefficient(double other) {
        return new GrpoSettings(advantages, level, aggregation, clipLow, clipHigh, other, dualClip, logBound);
    }

    /**
     * The advantages of a group's rewards.
     *
     * @param scale divisor of the distance from the mean
     * @param epsilon added to the standard deviation, δ of PRPF eq. 14
     */
    public record AdvantageSettings(Scale scale, double epsilon) {
        /** The divisor of advantages. */
        public enum Scale {
            /** The standard deviation over n - 1, as in torch.std. */
            SAMPLE_STD,
            /** The standard deviation over n, as in numpy.std. */
            POPULATION_STD,
            /** The advantage is not divided (Dr. GRPO, arXiv:2503.20783). */
            NONE
        }

        public AdvantageSettings {
            require(epsilon >= 0 && epsilon < 1, "epsilon", epsilon, "in [0, 1)");
        }
    }

    /** The level of the ratio of new to old probability. */
    public enum ImportanceLevel {
        /** Every token has its own ratio. */
        TOKEN,
        /** The geometric mean over a response's tokens, one for all of them (GSPO, arXiv:2507.18071 eq. 7). */
        SEQUENCE
    }

    /** The aggregation of tokens' losses to one number, with TRL's and verl's names. */
    public enum LossAggregation {
        /** Mean over a response's tokens, then over responses: TRL {@code grpo}, verl {@code seq-mean-token-mean}. */
        SEQUENCE_MEAN,
        /** Mean over all tokens of the optimizer step: TRL {@code dapo}, verl {@code token-mean}. */
        TOKEN_MEAN,
        /** Sum over tokens, divided by responses times the longest allowed length: TRL {@code dr_grpo}. */
        FIXED_LENGTH;

        /**
         * Returns the divisor of the sum over a whole optimizer step; the same for each of its batches.
         *
         * @param responses of the whole optimizer step
         * @param tokens in the loss, of the whole optimizer step
         * @param maxLength maximum tokens of a response
         */
        public double divisor(long responses, long tokens, int maxLength) {
            return switch (this) {
                case SEQUENCE_MEAN -> responses;
                case TOKEN_MEAN -> Math.max(1, tokens);
                case FIXED_LENGTH -> (double) responses * maxLength;
            };
        }
    }
}
