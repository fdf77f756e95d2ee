package dev.prpf.par.training.grpo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What goes wrong quietly in GRPO runs, said once when it begins; the metrics carry it as long as it lasts. */
final class GrpoAlarms {
    private static final Logger LOG = LoggerFactory.getLogger(GrpoAlarms.class);
    static final String FLAT = "flat-groups";
    static final String ENTROPY = "entropy-collapse";
    static final String TRUNCATION = "truncation";
    static final String MISMATCH = "log-probability-mismatch";

    private static final double FLAT_SHARE = 0.9;
    private static final double ENTROPY_LEFT = 0.1;
    private static final double CLIPPED_SHARE = 0.5;
    private static final double MEAN_GAP = 0.05;

    private GrpoAlarms() {}

    /**
     * Which ring after a step.
     *
     * @param metrics of the step
     * @param firstEntropy of the first step, null in it
     * @param before those that rang after the step before
     */
    static List<String> after(
            long step, Map<String, Double> metrics, @Nullable Double firstEntropy, List<String> before) {
        List<Alarm> ringing = new ArrayList<>();
        double flat = value(metrics, "frac_reward_zero_std");
        ring(ringing, flat >= FLAT_SHARE, FLAT, flat + " of the groups have equal rewards and teach nothing");
        double entropy = value(metrics, "entropy");
        boolean collapsed = firstEntropy != null && entropy < ENTROPY_LEFT * firstEntropy;
        ring(ringing, collapsed, ENTROPY, "entropy fell from " + firstEntropy + " to " + entropy + " nats a token");
        double clipped = value(metrics, "completions/clipped_ratio");
        ring(ringing, clipped >= CLIPPED_SHARE, TRUNCATION, clipped + " of the responses ran out of rollouts.max-new");
        double gap = value(metrics, PolicyGradient.SamplerMismatch.MEAN);
        ring(ringing, gap > MEAN_GAP, MISMATCH, "sampled and trained log-probabilities differ by " + gap + " nats");
        ringing.stream()
                .filter(alarm -> !before.contains(alarm.name()))
                .forEach(alarm -> LOG.warn("step {}: {}: {}", step, alarm.name(), alarm.why()));
        return ringing.stream().map(Alarm::name).toList();
    }

    private record Alarm(String name, String why) {}

    private static void ring(List<Alarm> ringing, boolean rings, String name, String why) {
        if (rings) {
            ringing.add(new Alarm(name, why));
        }
    }

    private static double value(Map<String, Double> metrics, String name) {
        return Objects.requireNonNull(metrics.get(name), name);
    }
}
