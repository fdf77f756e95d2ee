package dev.prpf.par.training;

import dev.prpf.par.reward.ConfusionOutcome;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.sets.PromptExample;
import java.util.Map;

/**
 * What a policy said to a prompt.
 *
 * @param prompt what it was asked
 * @param text what it said, without the end token
 * @param earned its reward
 * @param length its tokens, the end token among them
 */
public record AnsweredPrompt(PromptExample prompt, String text, RewardBreakdown earned, int length) {
    /** Whether it parsed and acts. */
    boolean acts() {
        return earned.outcome() == ConfusionOutcome.FP || earned.outcome() == ConfusionOutcome.TP;
    }

    /** A line of samples. */
    private record Sample(String id, String text, double reward, Map<String, Double> terms) {}

    Record sample() {
        return new Sample(prompt.id(), text, earned.total(), earned.terms());
    }
}
