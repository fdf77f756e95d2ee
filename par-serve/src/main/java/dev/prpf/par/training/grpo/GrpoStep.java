package dev.prpf.par.training.grpo;

import dev.prpf.par.grpo.GroupAdvantages;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.training.BatchOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The gradient of one optimizer step: all responses of some groups, in batches of like length. */
final class GrpoStep {
    private final GrpoSettings settings;
    private final int microBatchSize;
    private final int maxNew;

    /** What the step's batches add up to. */
    record Sum(GrpoMetrics metrics, LogProbabilityGap gap, long tokens) {}

    /** @param maxNew tokens a response may have */
    GrpoStep(GrpoSettings settings, int microBatchSize, int maxNew) {
        this.settings = settings;
        this.microBatchSize = microBatchSize;
        this.maxNew = maxNew;
    }

    /** The responses, each with its advantage over its group. */
    List<ScoredResponse> responses(List<RolloutGroup> groups) {
        List<ScoredResponse> responses = new ArrayList<>();
        for (RolloutGroup group : groups) {
            double[] advantages = GroupAdvantages.of(group.rewards(), settings.advantages());
            for (int i = 0; i < advantages.length; i++) {
                Rollout rollout = group.rollouts().get(i);
                responses.add(new ScoredResponse(group.promptIds(), rollout, advantages[i]));
            }
        }
        return responses;
    }

    /** Adds the gradient of the whole step's loss; stops early where the loss is no number. */
    Sum backward(PolicyGradient gradient, List<ScoredResponse> responses) {
        List<ScoredResponse> sorted = new ArrayList<>(responses);
        sorted.sort(Comparator.comparingInt(ScoredResponse::length));
        long labels = sorted.stream()
                .mapToLong(response -> response.rollout().ids().length)
                .sum();
        double divisor = settings.aggregation().divisor(sorted.size(), labels, maxNew);
        @Nullable GrpoMetrics metrics = null;
        LogProbabilityGap gap = LogProbabilityGap.NONE;
        for (List<ScoredResponse> batch : BatchOrder.cut(sorted, microBatchSize)) {
            PolicyGradient.Part part = gradient.backward(batch, divisor);
            metrics = metrics == null ? part.metrics() : metrics.plus(part.metrics());
            gap = gap.plus(part.mismatch());
            if (!Double.isFinite(part.metrics().loss())) {
                break;
            }
        }
        long tokens = sorted.stream().mapToLong(ScoredResponse::length).sum();
        return new Sum(Objects.requireNonNull(metrics), gap, tokens);
    }
}
