package dev.prpf.par.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.FunctionPool;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.vision.VisualPrompt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupSamplerTest {
    private static final int N = 4;

    @TempDir
    private Path folder;

    private TinyPolicy policy;

    @BeforeEach
    void make() {
        policy = new TinyPolicy(folder);
    }

    @AfterEach
    void close() {
        policy.close();
    }

    private GroupSampler sampler(int batchSize) {
        return policy.sampler(batchSize);
    }

    private static RolloutProvenance provenance(double temperature, int topK, double topP, boolean constrained) {
        return TinyPolicy.provenance(TinyPolicy.sampling(temperature, topK, topP, constrained));
    }

    private static final RolloutProvenance PLAIN = provenance(0.8, 0, 1, false);

    private List<PromptExample> prompts(int count) {
        return policy.prompts(count);
    }

    private List<RolloutGroup> sample(RolloutProvenance provenance, List<PromptExample> prompts) {
        return sampler(64).sample(policy.decoder, provenance, prompts, () -> false);
    }

    private static Map<String, List<String>> written(List<RolloutGroup> groups) {
        return groups.stream().collect(Collectors.toMap(RolloutGroup::id, group -> group.rollouts().stream()
                .map(rollout -> Arrays.toString(rollout.ids()) + rollout.finish())
                .toList()));
    }

    @Test
    void groupHasItsPromptsFactsAndRewards() {
        List<PromptExample> prompts = prompts(3);
        List<RolloutGroup> groups = sample(PLAIN, prompts);
        assertThat(groups).extracting(RolloutGroup::id).containsExactly("s0", "s1", "s2");
        assertThat(groups).extracting(RolloutGroup::intervention).containsExactly(true, false, true);
        for (int i = 0; i < groups.size(); i++) {
            RolloutGroup group = groups.get(i);
            assertThat(group.provenance()).isEqualTo(PLAIN);
            assertThat(group.promptIds()).isEqualTo(prompts.get(i).ids());
            assertThat(group.rollouts()).hasSize(N);
            for (Rollout rollout : group.rollouts()) {
                assertThat(rollout.reward())
                        .isEqualTo(Rollout.Reward.of(TinyPolicy.REWARD.score(
                                prompts.get(i).valid(),
                                rollout.text(),
                                ResponseForm.BARE,
                                ResponseParser.parse(rollout.text(), ResponseForm.BARE))));
            }
        }
        assertThat(groups.get(0).rollouts().stream()
                        .map(rollout -> Arrays.toString(rollout.ids()))
                        .distinct())
                .as("N different draws")
                .hasSize(N);
    }

    @Test
    void endTokenIsInTheTokensButNotInTheText() {
        List<Rollout> rollouts = sample(provenance(1, 0, 1, true), prompts(6)).stream()
                .flatMap(group -> group.rollouts().stream())
                .toList();
        assertThat(rollouts).extracting(Rollout::finish).containsOnly(FinishReason.END_TOKEN);
        for (Rollout rollout : rollouts) {
            long[] ids = rollout.ids();
            assertThat(ids[ids.length - 1]).isEqualTo(policy.end.get(0).longValue());
            assertThat(rollout.text()).isNotEmpty().doesNotContain("<|im_end|>");
        }
    }

    /** The softmax of the logits over the temperature, whatever top-k and top-p left to draw from. */
    @Test
    void logprobsAreAtTheTemperatureBeforeTopKAndTopP() {
        for (RolloutProvenance provenance :
                List.of(PLAIN, provenance(0.8, 5, 1, false), provenance(1.5, 0, 0.7, false))) {
            double temperature = provenance.sampling().temperature();
            RolloutGroup group = sample(provenance, prompts(1)).get(0);
            for (Rollout rollout : group.rollouts()) {
                for (int t = 0; t < rollout.ids().length; t++) {
                    float[] logits = logitsBefore(group.promptIds(), rollout.ids(), t);
                    double expected = logits[(int) rollout.ids()[t]] / temperature - logSumExp(logits, temperature);
                    assertThat((double) rollout.logprobs()[t]).isCloseTo(expected, within(1e-4));
                }
            }
        }
    }

    private float[] logitsBefore(long[] prompt, long[] ids, int t) {
        long[] whole = Arrays.copyOf(prompt, prompt.length + t);
        System.arraycopy(ids, 0, whole, prompt.length, t);
        return Outputs.logits(policy.decoder, whole)[whole.length - 1];
    }

    private static double logSumExp(float[] logits, double temperature) {
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit / temperature);
        }
        return Math.log(sum);
    }

    @Test
    void constrainedRolloutsParseAndTheirLogprobsAreRenormalised() {
        RolloutGroup group = sample(provenance(1, 0, 1, true), prompts(1)).get(0);
        for (Rollout rollout : group.rollouts()) {
            assertThat(rollout.reward().outcome()).isNotNull();
            assertThat(rollout.logprobs()[rollout.ids().length - 1])
                    .as("nothing but the end can come")
                    .isZero();
            for (int t = 0; t < rollout.ids().length; t++) {
                float[] logits = logitsBefore(group.promptIds(), rollout.ids(), t);
                double own = logits[(int) rollout.ids()[t]] - logSumExp(logits, 1);
                assertThat((double) rollout.logprobs()[t]).isGreaterThan(own - 1e-4);
            }
        }
    }

    @Test
    void groupIsIndependentOfOthersAndTheirOrder() {
        List<PromptExample> prompts = prompts(7);
        Map<String, List<String>> together = written(sample(PLAIN, prompts));
        List<PromptExample> reversed = new ArrayList<>(prompts);
        Collections.reverse(reversed);
        assertThat(written(sample(PLAIN, reversed))).isEqualTo(together);
        assertThat(written(sampler(3).sample(policy.decoder, PLAIN, prompts, () -> false)))
                .as("three at a time, fewer than a group")
                .isEqualTo(together);
        for (PromptExample prompt : prompts) {
            assertThat(written(sample(PLAIN, List.of(prompt)))).containsEntry(prompt.id(), together.get(prompt.id()));
        }
    }

    @Test
    void oneSamplerAcceptsNewWeights() {
        GroupSampler sampler = sampler(8);
        for (RolloutProvenance provenance : List.of(PLAIN, provenance(1, 0, 1, true))) {
            Map<String, List<String>> first =
                    written(sampler.sample(policy.decoder, provenance, prompts(2), () -> false));
            try (CausalLm other = policy.decoder(policy.decoder.config().vocabularySize(), 12)) {
                assertThat(written(sampler.sample(other, provenance, prompts(2), () -> false)))
                        .isNotEqualTo(first);
            }
            assertThat(written(sampler.sample(policy.decoder, provenance, prompts(2), () -> false)))
                    .isEqualTo(first);
        }
    }

    @Test
    void otherSeedsAndCopiesOfAPromptGetOtherDraws() {
        PromptExample prompt = prompts(1).get(0);
        List<RolloutGroup> twice = sample(PLAIN, List.of(prompt, prompt));
        assertThat(written(twice.subList(0, 1))).isNotEqualTo(written(twice.subList(1, 2)));
        RolloutProvenance other = RolloutProvenance.of(
                "w", "p", RewardSettings.PAPER, Prompts.POOL, new RolloutProvenance.Settings(0.8, 0, 1, 40, false, 8));
        assertThat(written(sample(other, List.of(prompt)))).isNotEqualTo(written(twice.subList(0, 1)));
    }

    @Test
    void cancelledGroupsAreOmitted() {
        assertThat(sampler(64).sample(policy.decoder, PLAIN, prompts(3), () -> true))
                .isEmpty();
        AtomicInteger steps = new AtomicInteger();
        sampler(N).sample(policy.decoder, PLAIN, prompts(3), () -> steps.incrementAndGet() < 0);
        int last = steps.getAndSet(0);
        List<RolloutGroup> some =
                sampler(N).sample(policy.decoder, PLAIN, prompts(3), () -> steps.incrementAndGet() == last);
        assertThat(some).as("all but the groups whose samples end last").hasSizeBetween(1, 2);
        assertThat(written(sample(PLAIN, prompts(3)))).containsAllEntriesOf(written(some));
    }

    @Test
    void whatCannotBeRolledOutIsSaid() {
        assertThatThrownBy(() -> new GroupSampler(
                        new ChatTokenizer(policy.tokenizer, ChatTemplates.CHATML), policy.end, TinyPolicy.REWARD, 1, 8))
                .hasMessage("group-size = 1 must be at least 2: a single response cannot be compared");
        assertThatThrownBy(() -> sampler(0)).hasMessage("batch-size = 0 must be at least 1");
        assertThatThrownBy(() -> new PromptExample(
                        "s", VisualPrompt.ofText(new long[0]), List.of(List.of()), ResponseForm.ANY, List.of()))
                .hasMessage("prompt s has no tokens");
        assertThatThrownBy(() -> new PromptExample(
                        "s", VisualPrompt.ofText(new long[1]), List.of(), ResponseForm.ANY, List.of()))
                .hasMessageContaining("prompt s has no valid answer");
        assertThatThrownBy(() -> new PromptExample(
                        " ", VisualPrompt.ofText(new long[1]), List.of(List.of()), ResponseForm.ANY, List.of()))
                .hasMessage("id is blank");
    }

    @Test
    void provenanceDistinguishesRewardsAndPools() {
        RewardSettings other =
                new RewardSettings(Map.of("func", 1.0), RewardSettings.PAPER.triggerCredit(), 0.5, 0.5, 1.0);
        RolloutProvenance.Settings sampling = PLAIN.sampling();
        RolloutProvenance changed = RolloutProvenance.of("w", "p", other, Prompts.POOL, sampling);
        assertThat(changed.reward()).hasSize(64).isNotEqualTo(PLAIN.reward());
        assertThat(changed.pool()).hasSize(64).isEqualTo(PLAIN.pool());
        FunctionPool smaller =
                new FunctionPool(Prompts.POOL.functions().stream().limit(2).toList());
        assertThat(RolloutProvenance.of("w", "p", other, smaller, sampling).pool())
                .isNotEqualTo(PLAIN.pool());
    }
}
