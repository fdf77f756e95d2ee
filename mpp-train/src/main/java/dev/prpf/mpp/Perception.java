package dev.prpf.mpp;

import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A perceiver's answer for one sample.
 *
 * @param pTrigger probability that an intervention is due (PRPF eq. 7)
 * @param scenarios scenario name to its probability (PRPF eq. 8), in catalogue order
 */
public record Perception(double pTrigger, Map<String, Double> scenarios) {
    public Perception {
        if (!(pTrigger >= 0 && pTrigger <= 1)) {
            throw new IllegalArgumentException("p_trigger = " + pTrigger + ", must lie in [0, 1]");
        }
        scenarios.forEach((name, p) -> {
            if (p == null || !(p >= 0 && p <= 1)) {
                throw new IllegalArgumentException(
                        "probability of scenario " + name + " = " + p + ", must lie in [0, 1]");
            }
        });
        scenarios = Collections.unmodifiableMap(new LinkedHashMap<>(scenarios));
    }

    /** Converts logits, first the trigger's, then the scenarios', shape (1 + S); {@code names} are the scenarios' in order. */
    public static Perception of(double[] logits, List<String> names, ProbabilityCalibration calibration) {
        Map<String, Double> probabilities = new LinkedHashMap<>();
        for (int s = 1; s < logits.length; s++) {
            probabilities.put(names.get(s - 1), JointLoss.sigmoid(logits[s]));
        }
        return new Perception(calibration.probability(logits[0]), probabilities);
    }

    /** Returns whether the gate opens: p_trigger is at least τ. */
    public boolean triggers(double tau) {
        return triggers(pTrigger, tau);
    }

    /** Returns whether the gate opens for a probability: it is at least τ. */
    public static boolean triggers(double pTrigger, double tau) {
        return pTrigger >= tau;
    }

    /** The k most probable scenarios, best first, ties in catalogue order. */
    public List<String> top(int k) {
        return scenarios.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(k)
                .map(Map.Entry::getKey)
                .toList();
    }
}
