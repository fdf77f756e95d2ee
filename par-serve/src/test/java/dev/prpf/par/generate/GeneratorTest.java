package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class GeneratorTest {
    private static final int VOCABULARY = 40;
    private static CausalLm decoder;

    @BeforeAll
    static void make() {
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(VOCABULARY, 48, false), 3)) {
            decoder = CausalLm.of(weights, Precision.FP32);
        }
    }

    @AfterAll
    static void close() {
        decoder.close();
    }

    private static List<Generation> generate(
            List<long[]> prompts, int maxNewTokens, @Nullable Sampling sampling, int batch) {
        GenerationSettings settings = new GenerationSettings(
                new SamplingParams(maxNewTokens, sampling, 1, StoppingCriteria.at(List.of())), batch);
        return Requests.generate(decoder, prompts, settings);
    }

    private static List<long[]> prompts(int count) {
        Random random = new Random(5);
        List<long[]> prompts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            prompts.add(random.longs(1 + random.nextInt(9), 0, VOCABULARY).toArray());
        }
        return prompts;
    }

    @Test
    void samplesDoNotDependOnTheBatchTheyAreDrawnIn() {
        Sampling sampling = new Sampling(0.9, 0, 0.95);
        List<Generation> alone = generate(prompts(9), 12, sampling, 1);
        List<Generation> together = generate(prompts(9), 12, sampling, 9);

        for (int i = 0; i < 9; i++) {
            assertThat(together.get(i).ids()).isEqualTo(alone.get(i).ids());
        }
    }

    @Test
    void theSameSeedDrawsTheSameAndPromptsDrawTheirOwn() {
        List<long[]> same = List.of(new long[] {4, 5}, new long[] {4, 5});
        Sampling sampling = new Sampling(1.0, 0, 1.0);
        List<Generation> first = generate(same, 16, sampling, 2);

        assertThat(generate(same, 16, sampling, 2).get(0).ids())
                .isEqualTo(first.get(0).ids());
        assertThat(first.get(1).ids()).isNotEqualTo(first.get(0).ids());
    }

    @Test
    void drawsFollowTheDistribution() {
        long[] prompt = {7};
        List<long[]> many = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            many.add(prompt);
        }
        double[] counts = new double[VOCABULARY];
        generate(many, 1, new Sampling(1.0, 0, 1.0), 500).forEach(g -> counts[(int) g.ids()[0]]++);

        float[] logits = Outputs.logits(decoder, prompt)[0];
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit);
        }
        for (int id = 0; id < VOCABULARY; id++) {
            assertThat(counts[id] / many.size()).isCloseTo(Math.exp(logits[id]) / sum, within(0.015));
        }
    }

    @Test
    void topKOfOneAndATinyTopPAreGreedy() {
        List<Generation> greedy = generate(prompts(5), 10, null, 5);
        List<Generation> topK = generate(prompts(5), 10, new Sampling(1.0, 1, 1.0), 5);
        List<Generation> topP = generate(prompts(5), 10, new Sampling(1.0, 0, 1e-6), 5);

        for (int i = 0; i < 5; i++) {
            assertThat(topK.get(i).ids()).isEqualTo(greedy.get(i).ids());
            assertThat(topP.get(i).ids()).isEqualTo(greedy.get(i).ids());
        }
    }

    @Test
    void logProbabilitiesAreTheModelsOwn() {
        long[] prompt = {3, 9, 27};
        Generation generation =
                generate(List.of(prompt), 8, new Sampling(0.5, 5, 0.9), 1).get(0);
        long[] whole = new long[prompt.length + generation.ids().length];
        System.arraycopy(prompt, 0, whole, 0, prompt.length);
        System.arraycopy(generation.ids(), 0, whole, prompt.length, generation.ids().length);

        float[] expected = Outputs.logProbabilities(decoder, whole);

        for (int i = 0; i < generation.ids().length; i++) {
            assertThat(generation.logProbabilities()[i]).isCloseTo(expected[prompt.length - 1 + i], within(1e-4f));
        }
    }

    @Test
    void rowsThatEndEarlyLeaveTheOthersAsTheyWere() {
        List<long[]> prompts = prompts(8);
        List<Generation> whole = generate(prompts, 20, null, 8);
        List<Integer> ends =
                List.of((int) whole.get(0).ids()[1], (int) whole.get(3).ids()[4], (int)
                        whole.get(5).ids()[2]);

        List<Generation> cut = Requests.generate(decoder, prompts, GenerationSettings.greedy(20, ends, 8));

        for (int i = 0; i < prompts.size(); i++) {
            long[] expected = whole.get(i).ids();
            int length = 0;
            boolean ended = false;
            while (length < expected.length && !ended) {
                ended = ends.contains((int) expected[length++]);
            }
            assertThat(cut.get(i).ids()).isEqualTo(java.util.Arrays.copyOf(expected, length));
            assertThat(cut.get(i).ended()).isEqualTo(ended);
        }
    }

    @Test
    void theLengthEndsWhereThePositionsEnd() {
        long[] prompt = new long[46];
        Generation generation = generate(List.of(prompt), 20, null, 1).get(0);

        assertThat(generation.ids()).hasSize(3);
        assertThat(generation.ended()).isFalse();
    }

    @Test
    void promptsTheModelCannotTakeAreRefused() {
        assertThatThrownBy(() -> generate(List.of(new long[] {1}, new long[0]), 1, null, 2))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("prompt 1 has 0 tokens");
        assertThatThrownBy(() -> generate(List.of(new long[49]), 1, null, 1)).hasMessageContaining("1 to 48");
        assertThatThrownBy(() -> generate(List.of(new long[] {VOCABULARY}), 1, null, 1))
                .hasMessageContaining("token 40")
                .hasMessageContaining("39");
    }

    @Test
    void beginningsAreKeptWhereTheyServeTwice() {
        long[] one = new long[100];
        long[] other = new long[100];
        other[PrefixCache.BLOCK] = 1;
        assertThat(alike(one, other)).as("the first block").isTrue();
        assertThat(alike(one, one)).isTrue();
        other[3] = 1;
        assertThat(alike(one, other)).isFalse();
        assertThat(alike(new long[] {1, 2, 3}, new long[] {1, 2, 4}))
                .as("all but the last, which is read again")
                .isTrue();
        assertThat(alike(new long[] {1, 2, 3}, new long[] {1, 2, 3, 4})).isFalse();
        assertThat(Generator.alike(Requests.of(one, SamplingParams.greedy(1, List.of()), 1, null)
                        .samples(2)))
                .as("two samples")
                .isTrue();
    }

    private static boolean alike(long[]... prompts) {
        return Generator.alike(Arrays.stream(prompts)
                .map(prompt -> Requests.of(prompt, SamplingParams.greedy(1, List.of()), 1, null))
                .toList());
    }
}
