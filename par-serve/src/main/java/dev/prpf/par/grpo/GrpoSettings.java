package dev.prpf.par.grpo;

import static dev.prpf.base.config.Rule.require;

import org.jspecify.annotations.Nullable;

/**
 * A GRPO objective: per token, -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A) + klCoefficient k3, with r = exp(now - old) and k3 =
 * exp(ref - now) - (ref - now) - 1.
 *
 * @param advantages how rewards become A
 * @param level what r belongs to
 * @param aggregation how tokens become one number
 * @param clipLow ε below 1
 * @param clipHigh ε above 1
 * @param klCoefficient β
 * @param dualClip c: where A < 0 the loss is at most -c A; null for none
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

    /** The same with another β. */
    public GrpoSettings withKlCoefficient(double other) {
        return new GrpoSettings(advantages, level, aggregation, clipLow, clipHigh, other, dualClip, logBound);
    }

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
            require(epsilon >= 0 && epsilon < 1, "epsilon", epsilon, "in [0, 1)");
        }
    }

    /** What the ratio of new to old probability belongs to. */
    public enum ImportanceLevel {
        /** Every token has its own. */
        TOKEN,
        /** The geometric mean over a response's tokens, one for all of them (GSPO, arXiv:2507.18071 eq. 7). */
        SEQUENCE
    }

    /** How the losses of tokens become one number; TRL's and verl's names beside ours. */
    public enum LossAggregation {
        /** Mean over a response's tokens, then over responses: TRL {@code grpo}, verl {@code seq-mean-token-mean}. */
        SEQUENCE_MEAN,
        /** Mean over all tokens of the optimizer step: TRL {@code dapo}, verl {@code token-mean}. */
        TOKEN_MEAN,
        /** Sum over tokens, over responses times the longest length allowed: TRL {@code dr_grpo}. */
        FIXED_LENGTH;

        /**
         * What the sum over a whole optimizer step is divided by; each of its batches is divided by the same number.
         *
         * @param responses of the whole optimizer step
         * @param tokens that count, of the whole optimizer step
         * @param maxLength tokens that a response may have
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
