package dev.prpf.par.grpo;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a loss, as sums, so that the parts of an optimizer step can be added. A unit is a token, or a response if a ratio covers the
 * response.
 *
 * @param loss this part's share of the step's loss
 * @param k3 sum of the divergence from the reference over tokens, or null without a reference
 * @param entropy sum over tokens, or null if unknown
 * @param ratio sum of new to old probability over units
 * @param below units with a ratio clipped below (and a negative advantage)
 * @param above units with a ratio clipped above (and a positive advantage)
 * @param tokens number of tokens in the loss
 * @param units number of units in the loss
 * @param leastBelow smallest share of a response's units clipped below
 * @param mostAbove largest share of a response's units clipped above
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

    /** Returns the sum of both parts. */
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

    /** Returns the metrics by TRL's names; {@code ratio_mean} is ours. Unknown metrics are absent. */
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
