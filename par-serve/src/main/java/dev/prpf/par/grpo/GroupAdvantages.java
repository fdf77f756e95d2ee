package dev.prpf.par.grpo;

import java.util.Arrays;
import org.apache.commons.math3.stat.StatUtils;

/** Computes each response's advantage over the other responses to its prompt (PRPF eq. 14). */
public final class GroupAdvantages {
    private GroupAdvantages() {}

    /**
     * Returns (R - mean) / (std + epsilon) of each response; zeros if all rewards are equal, or for one response.
     *
     * @param rewards of the responses to one prompt, finite, at least one
     * @return one per response, in order
     */
    public static double[] of(double[] rewards, GrpoSettings.AdvantageSettings settings) {
        requireFinite(rewards);
        double[] advantages = new double[rewards.length];
        if (hasZeroVariance(rewards)) {
            return advantages;
        }
        double mean = Arrays.stream(rewards).average().orElseThrow();
        double scale =
                switch (settings.scale()) {
                    case SAMPLE_STD -> std(rewards, 1) + settings.epsilon();
                    case POPULATION_STD -> std(rewards, 0) + settings.epsilon();
                    case NONE -> 1;
                };
        for (int i = 0; i < rewards.length; i++) {
            advantages[i] = (rewards[i] - mean) / scale;
        }
        return advantages;
    }

    /** Returns whether all rewards are equal (TRL counts such groups as {@code frac_reward_zero_std}). */
    public static boolean hasZeroVariance(double[] rewards) {
        return Arrays.stream(rewards).allMatch(reward -> reward == rewards[0]);
    }

    /**
     * Returns the standard deviation, 0 for one value.
     *
     * @param lost degrees of freedom: 1 divides by n - 1, 0 by n
     */
    public static double std(double[] values, int lost) {
        return Math.sqrt(lost == 1 ? StatUtils.variance(values) : StatUtils.populationVariance(values));
    }

    private static void requireFinite(double[] rewards) {
        if (rewards.length == 0 || !Arrays.stream(rewards).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException(
                    "a group's rewards are " + Arrays.toString(rewards) + ", must be finite and at least one");
        }
    }
}
