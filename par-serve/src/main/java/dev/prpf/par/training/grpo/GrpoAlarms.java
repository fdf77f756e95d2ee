package dev.prpf.par.training.grpo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warnings about silent failures of GRPO runs; each is logged once when it begins, and stays in the metrics while it lasts. */
final class GrpoAlarms {
    private static final Logger LOG = LoggerFactory.getLogger(GrpoAlarms.class);
    static final String ZERO_VARIANCE = "zero-variance-groups";
    static final String ENTROPY = "entropy-collapse";
    static final String TRUNCATION = "truncation";
    static final String MISMATCH = "log-probability-mismatch";

    private static final double ZERO_VARIANCE_SHARE = 0.9;
    private static final double ENTROPY_LEFT = 0.1;
    private static final double CLIPPED_SHARE = 0.5;
    private static final double MEAN_GAP = 0.05;

    private GrpoAlarms() {}

    /** Returns the alarms after a step. {@code firstEntropy} is null in the first step; {@code before} holds the previous step's alarms. */
    static List<String> after(
            long step, Map<String, Double> metrics, @Nullable Double firstEntropy, List<String> before) {
        double flat = value(metrics, "frac_reward_zero_std");
        double entropy = value(metrics, "entropy");
        double clipped = value(metrics, "completions/clipped_ratio");
        double gap = value(metrics, PolicyGradient.SamplerMismatch.MEAN);
        Map<String, String> ringing = new LinkedHashMap<>();
        if (flat >= ZERO_VARIANCE_SHARE) {
            ringing.put(ZERO_VARIANCE, flat + " of the groups have equal rewards and no gradient");
        }
        if (firstEntropy != null && entropy < ENTROPY_LEFT * firstEntropy) {
            ringing.put(ENTROPY, "entropy fell from " + firstEntropy + " to " + entropy + " nats a token");
        }
        if (clipped >= CLIPPED_SHARE) {
            ringing.put(TRUNCATION, clipped + " of the responses ran out of rollouts.max-new-tokens");
        }
        if (gap > MEAN_GAP) {
            ringing.put(MISMATCH, "sampled and trained log-probabilities differ by " + gap + " nats");
        }
        ringing.forEach((name, why) -> {
            if (!before.contains(name)) {
                LOG.warn("step {}: {}: {}", step, name, why);
            }
        });
        return List.copyOf(ringing.keySet());
    }

    static double value(Map<String, Double> metrics, String name) {
        return Objects.requireNonNull(metrics.get(name), name);
    }
}
