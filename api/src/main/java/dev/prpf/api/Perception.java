package dev.prpf.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The gate's result for a sample.
 *
 * @param probability that help is due, in [0, 1]
 * @param threshold of the cascade: help is due if the probability is at least this
 * @param scenarios probability of each scenario in [0, 1], in the order of the catalogue
 */
public record Perception(double probability, double threshold, Map<String, Double> scenarios) {
    /** Copies the scenarios, in order. */
    public Perception {
        scenarios = Collections.unmodifiableMap(new LinkedHashMap<>(scenarios));
    }

    /** Returns whether help is due, so that the reasoner runs. */
    public boolean triggers() {
        return dev.prpf.mpp.Perception.triggers(probability, threshold);
    }
}
