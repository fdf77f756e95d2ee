package dev.prpf.par.training;

import dev.prpf.data.FunctionPool;
import dev.prpf.par.model.Decoder;
import dev.prpf.par.model.Generation;
import dev.prpf.par.model.GenerationSettings;
import dev.prpf.par.model.Generator;
import dev.prpf.par.reward.Quadrant;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.rollout.GroupSampler;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutPrompt;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Rollouts of a language model in this process, rewarded by rules. */
public final class SampledRollouts implements PolicyRollouts {
    private static final double QUALITY_ABOVE = 0.5;

    private final Tokenizer tokenizer;
    private final List<Integer> endTokens;
    private final GrpoSampling sampling;
    private final StructuredReward reward;
    private final RewardSettings rewardSettings;
    private final FunctionPool pool;
    private final GroupSampler sampler;

    /**
     * @param tokenizer of the policy; stays the caller's
     * @param endTokens that end a response
     * @param pool that the rewards look parameters up in
     */
    public SampledRollouts(
            Tokenizer tokenizer,
            List<Integer> endTokens,
            GrpoSampling sampling,
            RewardSettings rewardSettings,
            FunctionPool pool) {
        this.tokenizer = tokenizer;
        this.endTokens = endTokens;
        this.sampling = sampling;
        this.rewardSettings = rewardSettings;
        this.pool = pool;
        reward = new StructuredReward(rewardSettings, pool);
        sampler = new GroupSampler(tokenizer, endTokens, reward, sampling.groupSize(), sampling.batchSize());
    }

    @Override
    public GrpoSampling sampling() {
        return sampling;
    }

    @Override
    public List<RolloutGroup> sample(Decoder policy, List<RolloutPrompt> prompts, long seed) {
        RolloutProvenance.Settings settings = new RolloutProvenance.Settings(
                sampling.temperature(), sampling.topK(), sampling.topP(), sampling.maxNew(), false, seed);
        RolloutProvenance provenance =
                RolloutProvenance.of("in training", tokenizer.sha256(), rewardSettings, pool, settings);
        return sampler.sample(policy, provenance, prompts, () -> false);
    }

    @Override
    public PolicyEvaluation evaluate(Decoder policy, List<RolloutPrompt> prompts) {
        List<long[]> ids = prompts.stream().map(RolloutPrompt::ids).toList();
        List<Generation> generations = new Generator(policy)
                .generate(ids, GenerationSettings.greedy(sampling.maxNew(), endTokens, sampling.batchSize()));
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++) {
            RolloutPrompt prompt = prompts.get(i);
            RewardBreakdown earned = reward.score(
                    prompt.valid(), tokenizer.decode(generations.get(i).said()), prompt.form());
            answers.add(
                    new Answer(prompt.intervention(), earned, generations.get(i).ids().length));
        }
        return evaluation(answers);
    }

    private record Answer(boolean due, RewardBreakdown earned, int length) {
        boolean acts() {
            return earned.quadrant() == Quadrant.FP || earned.quadrant() == Quadrant.TP;
        }
    }

    private static PolicyEvaluation evaluation(List<Answer> answers) {
        List<Answer> silent = answers.stream().filter(answer -> !answer.due()).toList();
        List<Answer> due = answers.stream().filter(Answer::due).toList();
        return new PolicyEvaluation(
                answers.size(),
                answers.stream()
                        .mapToDouble(answer -> answer.earned().total())
                        .average()
                        .orElseThrow(),
                percent(answers, answer -> answer.earned().quadrant() == null),
                silent.isEmpty() ? null : (Double) percent(silent, Answer::acts),
                due.isEmpty() ? null : (Double) percent(due, Answer::acts),
                percent(answers, answer -> answer.earned().correct(QUALITY_ABOVE)),
                answers.stream().mapToInt(Answer::length).average().orElseThrow());
    }

    private static double percent(List<Answer> answers, Predicate<Answer> holds) {
        return 100.0 * answers.stream().filter(holds).count() / answers.size();
    }
}
