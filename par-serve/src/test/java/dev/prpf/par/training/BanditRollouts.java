package dev.prpf.par.training;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.GrpoTraining.PolicyRollouts;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import dev.prpf.par.vision.VisualPrompt;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A world in which one token is worth something: the reward is the share of a response that is that token. */
class BanditRollouts implements PolicyRollouts {
    static final long WORTHY = 7;
    private static final int LENGTH = 6;

    private final GrpoSampling sampling;

    BanditRollouts(double temperature) {
        sampling = new GrpoSampling(6, temperature, 0, 1, LENGTH, 16);
    }

    static List<PromptExample> prompts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new PromptExample(
                        "p" + i,
                        VisualPrompt.ofText(new long[] {3 + i % 20, 5, 9 + i % 11}),
                        List.of(List.of()),
                        ResponseForm.ANY,
                        List.of()))
                .toList();
    }

    @Override
    public GrpoSampling sampling() {
        return sampling;
    }

    @Override
    public List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed) {
        GenerationSettings settings =
                Requests.sampled(LENGTH, new Sampling(sampling.temperature(), 0, 1), List.of(), 16);
        List<GenerationRequest> requests = IntStream.range(0, prompts.size())
                .boxed()
                .flatMap(i -> Requests.of(prompts.get(i).ids(), settings.params(), seed + 100L * i, null)
                        .samples(sampling.groupSize())
                        .stream())
                .toList();
        List<Generation> samples = new Generator(policy).generate(requests, settings.batchSize(), () -> false);
        RolloutProvenance provenance = new RolloutProvenance(
                "w", "p", "r", "q", new RolloutProvenance.Settings(sampling.temperature(), 0, 1, LENGTH, false, seed));
        return IntStream.range(0, prompts.size())
                .mapToObj(i -> new RolloutGroup(
                        prompts.get(i).id(),
                        false,
                        provenance,
                        prompts.get(i).ids(),
                        samples.subList(i * sampling.groupSize(), (i + 1) * sampling.groupSize()).stream()
                                .map(BanditRollouts::rollout)
                                .toList()))
                .toList();
    }

    private static Rollout rollout(Generation sample) {
        return new Rollout(
                sample.ids(), sample.policyLogProbabilities(), FinishReason.LENGTH, "", reward(sample.ids()));
    }

    private static Rollout.Reward reward(long[] ids) {
        Map<String, Double> terms = Terms.of(share(ids), 0, 0, 0, 0, 0, 0, 0);
        return new Rollout.Reward(RewardBreakdown.total(terms), terms, ConfusionOutcome.TN, 0, 0, 0);
    }

    private static double share(long[] ids) {
        return (double) Arrays.stream(ids).filter(id -> id == WORTHY).count() / ids.length;
    }

    @Override
    public PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts) {
        List<Generation> answers = Requests.generate(
                policy,
                prompts.stream().map(PromptExample::ids).toList(),
                GenerationSettings.greedy(LENGTH, List.of(), 16));
        double reward = answers.stream()
                .mapToDouble(answer -> share(answer.ids()))
                .average()
                .orElseThrow();
        return new PolicyEvaluation(prompts.size(), reward, 0, null, null, 0, LENGTH);
    }
}
