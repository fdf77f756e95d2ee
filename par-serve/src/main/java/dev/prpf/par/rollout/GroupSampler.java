package dev.prpf.par.rollout;

import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.ImageParts;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.CompletionRequest;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PromptImageReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Samples groups of responses and rewards them. It holds no weights: every call passes its decoder, so one sampler serves a whole GRPO run.
 * Not thread-safe.
 *
 * <p>A group depends only on seed, prompt and weights, not on other prompts or their order. A batch can change the last bits of logits, and
 * so a draw (see {@link GenerationRequest}). A repeated id in one call gets different draws.
 */
public final class GroupSampler {
    private final Tokenizer tokenizer;
    private final PromptImageReader images;
    private final List<Integer> endTokens;
    private final StructuredReward reward;
    private final int groupSize;
    private final int batchSize;
    private final ModelConstraints constraints;

    /**
     * @param chat tokenizer of the model, with its image reader; not owned
     * @param endTokens tokens that end a response
     * @param reward of the responses
     * @param groupSize N, number of responses per prompt, at least 2
     * @param batchSize number of responses generated together
     */
    public GroupSampler(
            ChatTokenizer chat, List<Integer> endTokens, StructuredReward reward, int groupSize, int batchSize) {
        tokenizer = chat.tokenizer();
        images = chat.images();
        this.endTokens = List.copyOf(endTokens);
        this.reward = reward;
        this.groupSize = groupSize;
        this.batchSize = batchSize;
        this.constraints = new ModelConstraints(tokenizer, endTokens);
        RolloutSampling.requireGroups(groupSize, batchSize);
    }

    /**
     * Generates and rewards responses to prompts.
     *
     * @param decoder with the weights of {@code provenance.policy()}; not owned
     * @param provenance of the groups; its sampling settings and seed are used
     * @param cancelled polled before each step; incomplete groups are omitted
     * @return one group for each prompt, in order
     * @throws dev.prpf.base.error.PrpfException as {@link Generator#generate}
     */
    public List<RolloutGroup> sample(
            CausalLm decoder, RolloutProvenance provenance, List<PromptExample> prompts, BooleanSupplier cancelled) {
        return sample(decoder, provenance, prompts, cancelled, ImageParts.mostBytes());
    }

    /** @param maxBytes maximum bytes of image features per part of the prompts */
    List<RolloutGroup> sample(
            CausalLm decoder,
            RolloutProvenance provenance,
            List<PromptExample> prompts,
            BooleanSupplier cancelled,
            long maxBytes) {
        RolloutProvenance.Settings sampling = provenance.sampling();
        SamplingParams params = new SamplingParams(
                sampling.maxNewTokens(),
                new Sampling(sampling.temperature(), sampling.topK(), sampling.topP()),
                1,
                StoppingCriteria.at(endTokens));
        GroupSeeds seeds = new GroupSeeds(sampling.seed());
        List<RolloutGroup> groups = new ArrayList<>();
        ImageParts.forEach(
                prompts.stream()
                        .map(prompt -> new Planned(
                                prompt,
                                new GenerationRequest(
                                        images.see(prompt.prompt()),
                                        params,
                                        0,
                                        sampling.constrained() ? constraint(decoder, prompt) : null),
                                seeds.next(prompt.id(), groupSize))),
                planned -> planned.request().prompt().images().bytes(),
                maxBytes,
                Math.max(1, batchSize / groupSize),
                part -> groups.addAll(groups(decoder, provenance, part, cancelled)));
        return groups;
    }

    private record Planned(PromptExample prompt, GenerationRequest request, List<Long> seeds) {}

    private List<RolloutGroup> groups(
            CausalLm decoder, RolloutProvenance provenance, List<Planned> part, BooleanSupplier cancelled) {
        List<GenerationRequest> requests = part.stream()
                .flatMap(planned -> planned.seeds().stream().map(planned.request()::withSeed))
                .toList();
        List<Generation> generated = new Generator(decoder).generate(requests, batchSize, cancelled);
        List<RolloutGroup> groups = new ArrayList<>();
        for (int i = 0; i < part.size(); i++) {
            List<Generation> samples = generated.subList(i * groupSize, (i + 1) * groupSize);
            if (samples.stream().noneMatch(sample -> sample.finish() == FinishReason.CANCELLED)) {
                groups.add(group(part.get(i).prompt(), provenance, samples));
            }
        }
        return groups;
    }

    /**
     * Generates responses on servers and rewards them. The draws follow from the seed, but differ from a local decoder's.
     *
     * @param servers with the weights of {@code provenance.policy()}, which is not checked; not owned
     * @return one group for each prompt, in order
     * @throws dev.prpf.base.error.PrpfException see {@link ChatClient#complete}; 78 for a response that does not end in an end token
     */
    public List<RolloutGroup> sample(ChatClient servers, RolloutProvenance provenance, List<PromptExample> prompts) {
        RolloutProvenance.Settings sampling = provenance.sampling();
        RemoteRollouts.requireTold(sampling);
        prompts.forEach(RemoteRollouts::requireText);
        GroupSeeds seeds = new GroupSeeds(sampling.seed());
        RemoteRollouts remote = new RemoteRollouts(endTokens, sampling);
        List<CompletionRequest> requests = prompts.stream()
                .map(prompt -> remote.request(
                        prompt, groupSize, seeds.next(prompt.id(), 1).get(0)))
                .toList();
        List<List<CompletionRequest.Continuation>> answers = servers.complete(requests);
        return IntStream.range(0, prompts.size())
                .mapToObj(i -> group(prompts.get(i), provenance, remote.read(prompts.get(i), answers.get(i))))
                .toList();
    }

    private Supplier<TokenConstraint> constraint(CausalLm decoder, PromptExample prompt) {
        return () -> constraints.of(decoder.config().vocabularySize(), prompt.form(), prompt.functions());
    }

    private RolloutGroup group(PromptExample prompt, RolloutProvenance provenance, List<Generation> samples) {
        List<Rollout> rollouts =
                samples.stream().map(sample -> rollout(prompt, sample)).toList();
        return new RolloutGroup(prompt.id(), prompt.intervention(), provenance, prompt.ids(), rollouts);
    }

    private Rollout rollout(PromptExample prompt, Generation sample) {
        GeneratedResponse response = GeneratedResponse.of(sample, tokenizer, prompt.form());
        Rollout.Reward earned =
                Rollout.Reward.of(reward.score(prompt.valid(), response.text(), prompt.form(), response.parsed()));
        return new Rollout(sample.ids(), sample.policyLogProbabilities(), response.finish(), response.text(), earned);
    }

    /** Seeds of a group's samples, derived from one seed and the prompt's id, independent of other prompts and their order. */
    static final class GroupSeeds {
        private final long seed;
        private final Map<String, Integer> copies = new HashMap<>();

        GroupSeeds(long seed) {
            this.seed = seed;
        }

        /** Returns the seeds of the next group with this id; repetitions get other seeds. */
        List<Long> next(String id, int count) {
            int copy = copies.merge(id, 1, Integer::sum) - 1;
            return GenerationRequest.seedsOf(seed + "\u0000" + copy + "\u0000" + id, count);
        }
    }
}
