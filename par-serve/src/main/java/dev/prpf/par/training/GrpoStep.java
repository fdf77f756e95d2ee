package dev.prpf.par.training;

import dev.prpf.par.grpo.GroupAdvantages;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Computes the gradient of one optimizer step over all responses of some groups, in batches of similar length. */
record GrpoStep(GrpoSettings settings, int microBatchSize, int maxNewTokens) {
    /**
     * The sum over an update's batches.
     *
     * @param responses as given, each with the old log-probabilities of its ratios
     */
    record Sum(
            GrpoMetrics metrics,
            PolicyGradient.SamplerMismatch mismatch,
            long tokens,
            List<PolicyGradient.ScoredResponse> responses) {}

    /**
     * Returns the responses, each with its advantage over its group.
     *
     * @param prompts of the groups, in their order
     * @param stored whether another process sampled them: the ratios then use its stored log-probabilities
     */
    List<PolicyGradient.ScoredResponse> responses(
            List<RolloutGroup> groups, List<PromptExample> prompts, boolean stored) {
        List<PolicyGradient.ScoredResponse> responses = new ArrayList<>();
        for (int g = 0; g < groups.size(); g++) {
            RolloutGroup group = groups.get(g);
            List<VisionImage> images = prompts.get(g).prompt().images();
            double[] advantages = GroupAdvantages.of(group.rewards(), settings.advantages());
            for (int i = 0; i < advantages.length; i++) {
                Rollout rollout = group.rollouts().get(i);
                float[] old = stored ? rollout.logprobs() : null;
                SftExample tokens = new SftExample(group.promptIds(), rollout.ids(), images);
                responses.add(new PolicyGradient.ScoredResponse(tokens, rollout, advantages[i], old));
            }
        }
        return responses;
    }

    /** Adds the gradient of the whole update's loss; stops early if the loss is NaN. */
    Sum backward(PolicyGradient gradient, List<PolicyGradient.ScoredResponse> responses) {
        List<Integer> sorted = IntStream.range(0, responses.size())
                .boxed()
                .sorted(Comparator.comparingInt(i -> responses.get(i).tokens().length()))
                .toList();
        long labels = responses.stream()
                .mapToLong(response -> response.rollout().ids().length)
                .sum();
        double divisor = settings.aggregation().divisor(responses.size(), labels, maxNewTokens);
        List<PolicyGradient.ScoredResponse> after = new ArrayList<>(responses);
        @Nullable GrpoMetrics metrics = null;
        PolicyGradient.SamplerMismatch mismatch = PolicyGradient.SamplerMismatch.none();
        for (List<Integer> batch : BatchOrder.cut(sorted, microBatchSize)) {
            PolicyGradient.Part part =
                    gradient.backward(batch.stream().map(responses::get).toList(), divisor);
            metrics = metrics == null ? part.metrics() : metrics.plus(part.metrics());
            mismatch = mismatch.plus(part.mismatch());
            if (!Double.isFinite(part.metrics().loss())) {
                break;
            }
            for (int b = 0; b < batch.size(); b++) {
                after.set(
                        batch.get(b),
                        responses.get(batch.get(b)).withOld(part.old().get(b)));
            }
        }
        long tokens = responses.stream()
                .mapToLong(response -> response.tokens().length())
                .sum();
        return new Sum(Objects.requireNonNull(metrics), mismatch, tokens, after);
    }
}
