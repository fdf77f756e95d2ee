package dev.prpf.par.grpo;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a loss looked like inside, as sums, so that the parts of an optimizer step can be put together. A unit is a token, or a response where
 * the ratio belongs to the response.
 *
 * @param loss this part's share of the step's loss
 * @param k3 sum of the divergence from the reference over tokens, or null without a reference
 * @param entropy sum over tokens, or null where it is not known
 * @param ratio sum of new to old probability over units
 * @param below units whose ratio was clipped below (and whose advantage is negative)
 * @param above units whose ratio was clipped above (and whose advantage is positive)
 * @param tokens that counted
 * @param units that counted
 * @param leastBelow smallest share of a response's units that were clipped below
 * @param mostAbove largest share of a response's units that were clipped above
 */
public record GrpoMetrics(
        double loss,
        @Nullable Double k3,
        @Nullable Double entropy,
        double ratio,
        double below,
        double above,
        double tokens,
        double units,
        double leastBelow,
        double mostAbove) {

    /** Both parts as one. */
    public GrpoMetrics plus(GrpoMetrics other) {
        return new GrpoMetrics(
                loss + other.loss,
                sum(k3, other.k3),
                sum(entropy, other.entropy),
                ratio + other.ratio,
                below + other.below,
                above + other.above,
                tokens + other.tokens,
                units + other.units,
                Math.min(leastBelow, other.leastBelow),
                Math.max(mostAbove, other.mostAbove));
    }

    private static @Nullable Double sum(@Nullable Double a, @Nullable Double b) {
        return a == null || b == null ? null : (Double) (a + b);
    }

    /** By TRL's names; {@code ratio_mean} is ours. What is not known is absent. */
    public Map<String, Double> byName() {
        double allTokens = Math.max(1, tokens);
        double allUnits = Math.max(1, units);
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("loss", loss);
        if (k3 != null) {
            metrics.put("kl", k3 / allTokens);
        }
        if (entropy != null) {
            metrics.put("entropy", entropy / allTokens);
        }
        metrics.put("clip_ratio/low_mean", below / allUnits);
        metrics.put("clip_ratio/low_min", leastBelow);
        metrics.put("clip_ratio/high_mean", above / allUnits);
        metrics.put("clip_ratio/high_max", mostAbove);
        metrics.put("clip_ratio/region_mean", (below + above) / allUnits);
        metrics.put("ratio_mean", ratio / allUnits);
        return metrics;
    }
}
