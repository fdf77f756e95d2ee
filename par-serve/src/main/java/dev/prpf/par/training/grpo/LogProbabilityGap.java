package dev.prpf.par.training.grpo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far the log-probabilities of the engine that sampled are from those of the one that trains (they differ where the two round
 * differently); TRL's {@code sampling/sampling_logp_difference}.
 *
 * @param sum of the absolute differences
 * @param most the largest
 * @param tokens compared
 */
public record LogProbabilityGap(double sum, double most, long tokens) {
    static final String MEAN = "sampling/sampling_logp_difference/mean";
    static final String MOST = "sampling/sampling_logp_difference/max";
    static final LogProbabilityGap NONE = new LogProbabilityGap(0, 0, 0);

    /** @param now row after row, each of {@code width} */
    static LogProbabilityGap of(List<ScoredResponse> responses, float[] now, int width) {
        double sum = 0;
        double most = 0;
        long tokens = 0;
        for (int b = 0; b < responses.size(); b++) {
            float[] sampled = responses.get(b).rollout().logprobs();
            for (int t = 0; t < sampled.length; t++) {
                double difference = Math.abs(sampled[t] - now[b * width + t]);
                sum += difference;
                most = Math.max(most, difference);
            }
            tokens += sampled.length;
        }
        return new LogProbabilityGap(sum, most, tokens);
    }

    LogProbabilityGap plus(LogProbabilityGap other) {
        return new LogProbabilityGap(sum + other.sum, Math.max(most, other.most), tokens + other.tokens);
    }

    /** The figures by name, in the same order in every process. */
    Map<String, Double> byName() {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put(MEAN, sum / Math.max(1, tokens));
        metrics.put(MOST, most);
        return metrics;
    }
}
