package dev.prpf.par.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One sampled response with its reward.
 *
 * @param ids its tokens including the end token, at least one
 * @param logprobs of each token under the generating policy, with logits divided by the sampling temperature, before top-k and top-p. With a
 *     constraint they are renormalised over the allowed tokens. Finite, at most 0. Like TRL, a trainer compares them with its own logits
 *     divided by the same temperature
 * @param finish END_TOKEN or LENGTH
 * @param text the decoded tokens
 * @param reward of the response
 */
public record Rollout(long[] ids, float[] logprobs, FinishReason finish, String text, Reward reward) {
    /**
     * A reward with the components that training uses.
     *
     * @param total R of eq. 19
     * @param terms weighted, by name; their sum is the total
     * @param outcome null if the response is malformed
     * @param functions R_func, 0 outside TP
     * @param arguments R_args, 0 outside TP
     * @param quality (w_F R_func + w_A R_args) / (w_F + w_A), 0 outside TP
     */
    public record Reward(
            double total,
            Map<String, Double> terms,
            @JsonProperty("quadrant") @Nullable ConfusionOutcome outcome,
            double functions,
            double arguments,
            double quality) {
        private static final double ROUNDING = 1e-6;

        public Reward {
            if (!Double.isFinite(total) || Math.abs(total - RewardBreakdown.total(terms)) > ROUNDING) {
                throw new IllegalArgumentException(
                        "total = " + total + " must be the sum of its terms, " + RewardBreakdown.total(terms));
            }
        }

        /** Makes the reward of a breakdown. */
        public static Reward of(RewardBreakdown breakdown) {
            return new Reward(
                    breakdown.total(),
                    breakdown.terms(),
                    breakdown.outcome(),
                    breakdown.parts().functions(),
                    breakdown.parts().arguments(),
                    breakdown.quality());
        }

        /** Returns the same as {@link RewardBreakdown#correct}. */
        public boolean correct(double qualityAbove) {
            return outcome == ConfusionOutcome.TN || (outcome == ConfusionOutcome.TP && quality > qualityAbove);
        }
    }

    public Rollout {
        if (ids.length == 0 || ids.length != logprobs.length) {
            throw new IllegalArgumentException(ids.length + " tokens and " + logprobs.length
                    + " log-probabilities; a rollout has at least one token, and one log-probability each");
        }
        if (finish != FinishReason.END_TOKEN && finish != FinishReason.LENGTH) {
            throw new IllegalArgumentException("finish = " + finish + " must be end_token or length");
        }
        for (float logprob : logprobs) {
            if (!(logprob <= 0 && Float.isFinite(logprob))) {
                throw new IllegalArgumentException("log-probability " + logprob + " must be finite and at most 0");
            }
        }
    }
}
