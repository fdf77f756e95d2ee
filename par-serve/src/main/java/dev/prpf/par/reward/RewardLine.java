package dev.prpf.par.reward;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response's reward in the output of {@code reasoner reward --json} and the reward service.
 *
 * @param id of the answered sample
 * @param total the reward; finite
 * @param terms weighted, by name; their sum is the total
 * @param outcome of the intervention, {@code quadrant} in JSON; null if the response is malformed
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
