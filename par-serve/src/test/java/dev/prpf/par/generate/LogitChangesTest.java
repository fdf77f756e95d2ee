package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.generate.Generation.PromptScores;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.generate.SamplingParams.LogitChanges;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares changes of logits and their log-probabilities with plain arithmetic on the model's logits. */
class LogitChangesTest {
    private static final int VOCABULARY = 40;
    private static final int POSITIONS = 400;
    private static final StoppingCriteria NOTHING = StoppingCriteria.at(List.of());

    private static long[] prompt(int seed, int length) {
        return new Random(seed).longs(length, 0, VOCABULARY).toArray();
    }

    private static SamplingParams params(
            int most, StoppingCriteria ending, int top, boolean prompt, LogitChanges changes) {
        return new SamplingParams(most, null, 1, ending, true, top, prompt, changes);
    }

    private static List<Sequence> run(CausalLm decoder, List<long[]> prompts, SamplingParams params) {
        try (Scheduler scheduler = new Scheduler(decoder, new SchedulerSettings(2, POSITIONS, 64, 1 << 20, true, 0))) {
            List<Sequence> sequences = new ArrayList<>();
            prompts.forEach(prompt -> sequences.add(scheduler.add(Requests.of(prompt, params, 1, null), null)));
            while (!scheduler.idle()) {
                scheduler.step();
            }
            sequences.forEach(sequence -> assertThat(sequence.failure()).isNull());
            return sequences;
        }
    }

    private static long[] whole(long[] prompt, long[] written) {
        long[] whole = Arrays.copyOf(prompt, prompt.length + written.length);
        System.arraycopy(written, 0, whole, prompt.length, written.length);
        return whole;
    }

    private static void requireLikeliest(TopLogprobs top, float[] logits, int count) {
        int[] order = IntStream.range(0, logits.length)
                .boxed()
                .sorted(Comparator.comparingDouble(id -> -logits[id]))
                .mapToInt(Integer::intValue)
                .toArray();
        double sum = Math.log(IntStream.range(0, logits.length)
                .mapToDouble(id -> Math.exp(logits[id]))
                .sum());
        assertThat(top.ids()).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(logits[(int) top.ids()[i]]).isCloseTo(logits[order[i]], within(1e-4f));
            assertThat((double) top.logProbabilities()[i]).isCloseTo(logits[(int) top.ids()[i]] - sum, within(1e-4));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLikeliestTokensAndThePromptsOwnAreScoredUnderTheModel(TinyDecoder kind) {
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS)) {
            List<long[]> prompts = List.of(prompt(1, 1), prompt(2, 2), prompt(3, 300), prompt(3, 300), prompt(4, 50));
            List<Sequence> sequences = run(decoder, prompts, params(6, NOTHING, 3, true, LogitChanges.NONE));
            for (int s = 0; s < prompts.size(); s++) {
                long[] prompt = prompts.get(s);
                Sequence sequence = sequences.get(s);
                Generation generation = sequence.generation();
                long[] whole = whole(prompt, generation.ids());
                float[][] logits = Outputs.logits(decoder, Arrays.copyOf(whole, whole.length - 1));
                float[] scores = Outputs.logProbabilities(decoder, whole);
                PromptScores scored = java.util.Objects.requireNonNull(sequence.promptScores());
                assertThat(scored.logProbabilities()).hasSize(prompt.length - 1);
                assertThat(scored.top()).hasSize(prompt.length - 1);
                for (int t = 0; t < whole.length - 1; t++) {
                    boolean of = t < prompt.length - 1;
                    int at = t - prompt.length + 1;
                    float score = of ? scored.logProbabilities()[t] : generation.logProbabilities()[at];
                    assertThat(score).isCloseTo(scores[t], within(2e-4f));
                    requireLikeliest(
                            of
                                    ? scored.top().get(t)
                                    : sequence.topLogprobs(at, at + 1).get(0),
                            logits[t],
                            3);
                }
            }
        }
    }

    @Test
    void nothingIsToldThatWasNotAskedFor() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS)) {
            Sequence sequence = run(decoder, List.of(prompt(1, 5)), params(3, NOTHING, 0, false, LogitChanges.NONE))
                    .get(0);
            assertThat(sequence.promptScores()).isNull();
            assertThat(sequence.topLogprobs(0, 3)).isEmpty();
            TopLogprobs all = run(decoder, List.of(prompt(1, 5)), params(1, NOTHING, 99, false, LogitChanges.NONE))
                    .get(0)
                    .topLogprobs(0, 1)
                    .get(0);
            assertThat(all.ids()).hasSize(VOCABULARY).doesNotHaveDuplicates();
        }
    }

    /** Computes greedy decoding with penalties and biases, one step after the other. */
    private static long[] plain(
            CausalLm decoder, long[] prompt, int most, LogitChanges changes, @Nullable Integer end) {
        long[] whole = prompt;
        Map<Integer, Integer> times = new HashMap<>();
        for (int n = 0; n < most; n++) {
            float[] logits = Outputs.logits(decoder, whole)[whole.length - 1];
            double[] left = IntStream.range(0, logits.length)
                    .mapToDouble(id -> logits[id]
                            + changes.bias().getOrDefault(id, 0.0)
                            - (times.containsKey(id) ? changes.presencePenalty() : 0)
                            - changes.frequencyPenalty() * times.getOrDefault(id, 0))
                    .toArray();
            if (end != null && n < changes.minNewTokens()) {
                left[end] = Double.NEGATIVE_INFINITY;
            }
            int best = IntStream.range(0, left.length)
                    .boxed()
                    .max(Comparator.comparingDouble(id -> left[id]))
                    .orElseThrow();
            times.merge(best, 1, Integer::sum);
            whole = whole(whole, new long[] {best});
            if (end != null && best == end) {
                break;
            }
        }
        return Arrays.copyOfRange(whole, prompt.length, whole.length);
    }

    @Test
    void penaltiesAndBiasesChangeWhatIsChosenAndNotWhatIsTold() {
        try (CausalLm decoder = TinyDecoder.LLAMA.makeForgetful(VOCABULARY, POSITIONS)) {
            List<long[]> prompts = List.of(prompt(1, 4), prompt(2, 4), prompt(3, 4));
            List<LogitChanges> all = List.of(
                    LogitChanges.NONE,
                    new LogitChanges(4, 0, Map.of(), 0),
                    new LogitChanges(0, 2, Map.of(), 0),
                    new LogitChanges(-1, 2.5, Map.of(3, 1.5, 7, -100.0), 0));
            List<long[]> written = new ArrayList<>();
            for (LogitChanges changes : all) {
                List<Sequence> sequences = run(decoder, prompts, params(24, NOTHING, 0, false, changes));
                for (int i = 0; i < prompts.size(); i++) {
                    Generation generation = sequences.get(i).generation();
                    assertThat(generation.ids()).containsExactly(plain(decoder, prompts.get(i), 24, changes, null));
                    float[] own = Outputs.logProbabilities(decoder, whole(prompts.get(i), generation.ids()));
                    assertThat(generation.logProbabilities()[23]).isCloseTo(own[own.length - 1], within(2e-4f));
                    written.add(generation.ids());
                }
            }
            assertThat(written.get(0)).as("the penalty broke the circle").isNotEqualTo(written.get(6));
        }
    }

    @Test
    void anEndComesNotBeforeTheLeastLength() {
        try (CausalLm decoder = TinyDecoder.LLAMA.makeForgetful(VOCABULARY, POSITIONS)) {
            long[] prompt = prompt(1, 4);
            int end = (int) plain(decoder, prompt, 1, LogitChanges.NONE, null)[0];
            StoppingCriteria ending = new StoppingCriteria(Set.of(end, VOCABULARY + 5), List.of(), null);
            Generation early = run(decoder, List.of(prompt), params(24, ending, 0, false, LogitChanges.NONE))
                    .get(0)
                    .generation();
            assertThat(early.ids()).containsExactly(end);
            LogitChanges least = new LogitChanges(0, 0, Map.of(), 5);
            Generation later = run(decoder, List.of(prompt), params(24, ending, 0, false, least))
                    .get(0)
                    .generation();
            assertThat(later.ids())
                    .containsExactly(plain(decoder, prompt, 24, least, end))
                    .hasSizeGreaterThan(5);
        }
    }

    @Test
    void aStopTextEndsNotBeforeTheLeastLength() {
        StoppingCriteria ending = new StoppingCriteria(Set.of(), List.of("b"), ids -> "b".repeat(ids.length));
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS)) {
            LogitChanges least = new LogitChanges(0, 0, Map.of(), 4);
            assertThat(run(decoder, List.of(prompt(1, 4)), params(24, ending, 0, false, LogitChanges.NONE))
                            .get(0)
                            .length())
                    .isEqualTo(1);
            assertThat(run(decoder, List.of(prompt(1, 4)), params(24, ending, 0, false, least))
                            .get(0)
                            .length())
                    .isEqualTo(4);
        }
    }

    @Test
    void whatIsNoChangeIsRefused() {
        assertThatThrownBy(() -> new LogitChanges(Double.NaN, 0, Map.of(), 0))
                .hasMessage("presence_penalty = NaN must be a finite number");
        assertThatThrownBy(() -> new LogitChanges(0, 0, Map.of(-1, 2.0), 0))
                .hasMessageContaining("logit_bias = -1=2.0 must be a token's id and a finite number");
        assertThatThrownBy(() -> new LogitChanges(0, 0, Map.of(), -1)).hasMessageContaining("min_tokens = -1");
        assertThatThrownBy(() -> new SamplingParams(1, null, 1, NOTHING, false, 2, false, LogitChanges.NONE))
                .hasMessageContaining("top_logprobs = 2 must be 0 where log-probabilities are not wanted");
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, SchedulerSettings.of(1, POSITIONS))) {
            LogitChanges foreign = new LogitChanges(0, 0, Map.of(VOCABULARY, 1.0), 0);
            assertThatThrownBy(() -> scheduler.add(
                            Requests.of(prompt(1, 3), params(1, NOTHING, 0, false, foreign), 0, null), null))
                    .hasMessage("logit_bias holds token 40; the vocabulary ends at 39");
        }
    }
}
