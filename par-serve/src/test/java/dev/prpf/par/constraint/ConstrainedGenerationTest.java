package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConstrainedGenerationTest {
    private static final int MAX_NEW = 70;
    private static final List<ResponseForm> FORMS = List.of(ResponseForm.values());
    private static final List<FunctionSpec> POOL = List.copyOf(Vocabulary.POOL.functions());

    @TempDir
    private static Path directory;

    private static Vocabulary vocabulary;
    private static CausalLm decoder;

    @BeforeAll
    static void make() {
        vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT);
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.config(vocabulary.width, 160, false), new ModelInit.Scale(0.4, 0), 3)) {
            decoder = CausalLm.of(weights, Precision.FP32);
        }
    }

    @AfterAll
    static void close() {
        decoder.close();
        vocabulary.close();
    }

    private static List<long[]> prompts(int count) {
        Random random = new Random(5);
        List<long[]> prompts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            prompts.add(random.longs(1 + random.nextInt(9), 0, vocabulary.width).toArray());
        }
        return prompts;
    }

    private static ResponseForm form(int i) {
        return FORMS.get(i % FORMS.size());
    }

    private static List<Generation> generate(List<long[]> prompts, @Nullable Sampling sampling, int batch) {
        List<TokenConstraint> constraints = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++) {
            constraints.add(vocabulary.constraints.walker(form(i), POOL));
        }
        GenerationSettings settings = new GenerationSettings(
                new SamplingParams(MAX_NEW, sampling, 1, StoppingCriteria.at(List.of(vocabulary.end))), batch);
        return Requests.generate(decoder, prompts, settings, constraints);
    }

    private static ParResponse read(Generation generation, ResponseForm form) {
        List<Long> ids = Arrays.stream(generation.ids()).boxed().toList();
        return ResponseParser.parse(vocabulary.text(ids), form);
    }

    @Test
    void aRealDecoderOfRandomWeightsSaysNothingUnparseable() {
        for (Sampling sampling : Arrays.asList(null, new Sampling(1.0, 0, 1.0), new Sampling(2.0, 50, 0.9))) {
            List<Generation> generations = generate(prompts(120), sampling, 24);
            for (int i = 0; i < generations.size(); i++) {
                assertThat(generations.get(i).ended()).isTrue();
                assertThat(read(generations.get(i), form(i))).isInstanceOf(ParResponse.Parsed.class);
            }
        }
    }

    @Test
    void jumpForwardAloneAndNoJumpInABatchGiveEqualRows() {
        for (Sampling sampling : Arrays.asList(null, new Sampling(1.0, 0, 1.0))) {
            List<Generation> together = generate(prompts(12), sampling, 12);
            List<Generation> alone = generate(prompts(12), sampling, 1);
            for (int i = 0; i < 12; i++) {
                assertThat(together.get(i).ids()).isEqualTo(alone.get(i).ids());
            }
        }
    }

    @Test
    void logProbabilitiesAreTheModelsOwnOfKnownTokensToo() {
        List<long[]> prompts = prompts(6);
        List<Generation> generations = generate(prompts, null, 1);
        for (int i = 0; i < prompts.size(); i++) {
            long[] prompt = prompts.get(i);
            long[] written = generations.get(i).ids();
            long[] whole = Arrays.copyOf(prompt, prompt.length + written.length);
            System.arraycopy(written, 0, whole, prompt.length, written.length);
            float[] expected = Outputs.logProbabilities(decoder, whole);
            for (int t = 0; t < written.length; t++) {
                assertThat(generations.get(i).logProbabilities()[t])
                        .isCloseTo(expected[prompt.length - 1 + t], within(1e-3f));
            }
        }
    }

    @Test
    void withoutLogProbabilitiesTheSameTokensAreWritten() {
        List<long[]> prompts = prompts(12);
        List<Generation> expected = generate(prompts, null, 4);
        List<TokenConstraint> constraints = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++) {
            constraints.add(vocabulary.constraints.walker(form(i), POOL));
        }
        GenerationSettings silent =
                GenerationSettings.greedy(MAX_NEW, List.of(vocabulary.end), 4).withoutLogprobs();
        List<Generation> generations = Requests.generate(decoder, prompts, silent, constraints);
        for (int i = 0; i < prompts.size(); i++) {
            assertThat(generations.get(i).ids()).isEqualTo(expected.get(i).ids());
            assertThat(generations.get(i).logProbabilities()).containsOnly(Float.NaN);
        }
    }

    @Test
    void unconstrainedRows_areUnchangedByConstrainedRows() {
        List<long[]> prompts = prompts(4);
        GenerationSettings settings = GenerationSettings.greedy(20, List.of(vocabulary.end), 4);
        List<Generation> free = Requests.generate(decoder, prompts, settings);
        List<Generation> mixed = Requests.generate(
                decoder,
                prompts,
                settings,
                Arrays.asList(null, vocabulary.constraints.walker(ResponseForm.BARE, POOL), null, null));
        for (int i : new int[] {0, 2, 3}) {
            assertThat(mixed.get(i).ids()).isEqualTo(free.get(i).ids());
        }
        assertThat(read(mixed.get(1), ResponseForm.BARE)).isInstanceOf(ParResponse.Parsed.class);
    }

    @Test
    void aLengthBelowTheShortestResponseIsRefused() {
        GenerationSettings settings = GenerationSettings.greedy(2, List.of(vocabulary.end), 1);
        TokenConstraint constraint = vocabulary.constraints.walker(ResponseForm.BARE, POOL);
        assertThatThrownBy(() -> Requests.generate(decoder, prompts(1), settings, List.of(constraint)))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("max-new-tokens = 2")
                .hasMessageContaining("has " + constraint.shortest() + " tokens")
                .extracting(e -> ExitCode.of(e))
                .isEqualTo(ExitCode.USAGE);
    }
}
