package dev.prpf.par.training.grpo;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far the log-probabilities of the engine that sampled are from those of the one that trains (the two round differently), by TRL's names.
 *
 * @param sum of the absolute differences, nats
 * @param max the largest
 * @param weights sum of the truncated importance sampling weights
 * @param minWeight the smallest
 * @param maxWeight the largest
 * @param tokens compared
 */
public record SamplerMismatch(double sum, double max, double weights, double minWeight, double maxWeight, long tokens) {
    static final String MEAN = "sampling/sampling_logp_difference/mean";
    private static final String MAX = "sampling/sampling_logp_difference/max";
    static final SamplerMismatch NONE =
            new SamplerMismatch(0, 0, 0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0);

    /**
     * Of one response.
     *
     * @param sampled log-probabilities of its tokens by the engine that sampled
     * @param old by the engine that trains
     * @param cap of the weights; null for weights of 1
     */
    static SamplerMismatch of(float[] sampled, float[] old, @Nullable Double cap) {
        SamplerMismatch all = NONE;
        for (int t = 0; t < sampled.length; t++) {
            double difference = Math.abs(sampled[t] - old[t]);
            double weight = weight(sampled[t], old[t], cap);
            all = all.plus(new SamplerMismatch(difference, difference, weight, weight, weight, 1));
        }
        return all;
    }

    /** min(exp(old - sampled), cap); 1 without a cap. */
    static double weight(float sampled, float old, @Nullable Double cap) {
        return cap == null ? 1 : Math.min(Math.exp((double) old - sampled), cap);
    }

    SamplerMismatch plus(SamplerMismatch other) {
        return new SamplerMismatch(
                sum + other.sum,
                Math.max(max, other.max),
                weights + other.weights,
                Math.min(minWeight, other.minWeight),
                Math.max(maxWeight, other.maxWeight),
                tokens + other.tokens);
    }

    /** The metrics by name, in the same order in every process. */
    Map<String, Double> byName() {
        double of = Math.max(1, tokens);
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put(MEAN, sum / of);
        metrics.put(MAX, max);
        metrics.put("sampling/importance_sampling_ratio/min", tokens == 0 ? 0 : minWeight);
        metrics.put("sampling/importance_sampling_ratio/mean", weights / of);
        metrics.put("sampling/importance_sampling_ratio/max", tokens == 0 ? 0 : maxWeight);
        return metrics;
    }
}
