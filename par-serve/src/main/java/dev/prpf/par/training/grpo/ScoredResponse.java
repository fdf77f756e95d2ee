package dev.prpf.par.training.grpo;

import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.sets.SftExample;

/**
 * A response to learn from.
 *
 * @param prompt token ids
 * @param rollout what was sampled
 * @param advantage over the others of its group
 */
public record ScoredResponse(long[] prompt, Rollout rollout, double advantage) {
    SftExample tokens() {
        return new SftExample(prompt, rollout.ids());
    }

    int length() {
        return prompt.length + rollout.ids().length;
    }
}
