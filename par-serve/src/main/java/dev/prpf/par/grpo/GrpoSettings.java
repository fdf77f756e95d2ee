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
}
