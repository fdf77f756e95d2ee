package dev.prpf.par.training.grpo;

import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.sets.SftExample;
import org.jspecify.annotations.Nullable;

/**
 * A response to learn from.
 *
 * @param prompt token ids
 * @param rollout what was sampled
 * @param advantage over the others of its group
 * @param old log-probabilities of its tokens under the policy that wrote it, as the engine that trains computes them; null while the policy is
 *     still that one
 */
public record ScoredResponse(long[] prompt, Rollout rollout, double advantage, float @Nullable [] old) {
    ScoredResponse withOld(float[] logprobs) {
        return new ScoredResponse(prompt, rollout, advantage, logprobs);
    }

    SftExample tokens() {
        return new SftExample(prompt, rollout.ids());
    }

    int length() {
        return prompt.length + rollout.ids().length;
    }
}
