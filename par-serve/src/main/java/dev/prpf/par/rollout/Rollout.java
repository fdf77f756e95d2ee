package dev.prpf.par.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.reward.ConfusionOutcome;
import dev.prpf.par.reward.RewardBreakdown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One sampled response.
 *
 * @param ids its tokens, the end token among them; at least one
 * @param logprobs of each token under the policy that wrote it, its logits divided by the sampling temperature, nothing cut off by top-k or
 *     top-p; renormalised over what the constraint allowed where there was one. Finite, at most 0. A trainer compares them with its own
 *     logits divided by the same temperature, as TRL's does
 * @param finish END_TOKEN or LENGTH
 * @param text what the tokens say
 * @param reward what it earned
 */
public record Rollout(long[] ids, float[] logprobs, FinishReason finish, String text, Reward reward) {
    /**
     * A reward, as far as training looks at it.
     *
     * @param total R of eq. 19
     * @param terms weighted, by name; they add up to it
     * @param outcome null where the response is malformed
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

        /** Of a breakdown. */
        public static Reward of(RewardBreakdown breakdown) {
            return new Reward(
                    breakdown.total(),
                    breakdown.terms(),
                    breakdown.outcome(),
                    breakdown.parts().functions(),
                    breakdown.parts().arguments(),
                    breakdown.quality());
        }

        /** As {@link RewardBreakdown#correct}. */
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
