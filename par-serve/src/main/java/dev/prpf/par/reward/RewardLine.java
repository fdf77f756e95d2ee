package dev.prpf.par.reward;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response's reward as {@code par reward --json} prints it and the reward service answers it.
 *
 * @param id of the sample that was answered
 * @param total the reward; finite
 * @param terms weighted, by name; they add up to total
 * @param outcome of the intervention, {@code quadrant} in JSON; null where the response is malformed
 */
public record RewardLine(
        String id,
        double total,
        Map<String, Double> terms,
        @JsonProperty("quadrant") @Nullable ConfusionOutcome outcome) {
    public static RewardLine of(ResponseScorer.Scored scored) {
        RewardBreakdown reward = scored.reward();
        return new RewardLine(scored.id(), reward.total(), reward.terms(), reward.outcome());
    }
}
