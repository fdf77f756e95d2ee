package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Samples of prompts against a plain reference: in one batch or several, from one prefill. */
@Tag("slow")
class SamplesTest {
    private static final int VOCABULARY = 40;
    private static final int POSITIONS = 64;

    private static final Map<Model, CausalLm> DECODERS = new EnumMap<>(Model.class);

    enum Model {
        LLAMA,
        QWEN3_5
    }

    private static CausalLm decoder(Model model) {
        return DECODERS.computeIfAbsent(model, kind -> {
            DecoderConfig config = kind == Model.LLAMA
                    ? TinyModels.config(VOCABULARY, POSITIONS, false)
                    : TinyModels.qwen35(VOCABULARY, POSITIONS);
            try (DecoderWeights weights = ModelInit.random(config, new ModelInit.Scale(0.3, 0), 3)) {
                return CausalLm.of(weights, Precision.FP32);
            }
        });
    }

    /** A letter a token, two for some. */
    static String letters(long[] ids) {
        return LongStream.of(ids)
                .mapToObj(id -> id < 26 ? String.valueOf((char) ('a' + id)) : "xy")
                .collect(Collectors.joining());
    }

    @AfterAll
    static void close() {
        DECODERS.values().forEach(CausalLm::close);
    }

    private static boolean never() {
        return false;
    }

    /** Requests for several prompts: all samples of one prompt, then those of the next. */
    private static List<GenerationRequest> requests(int count, int longest, int samples, GenerationSettings settings) {
        Random random = new Random(5);
        List<GenerationRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long[] prompt =
                    random.longs(1 + random.nextInt(longest), 0, VOCABULARY).toArray();
            GenerationRequest request = Requests.of(prompt, settings.params(), 0, null);
            random.longs(samples).mapToObj(request::withSeed).forEach(requests::add);
        }
        return requests;
    }

    private static GenerationSettings settings(
            int maxNewTokens, @Nullable Sampling sampling, double penalty, int batch) {
        StoppingCriteria ending = new StoppingCriteria(Set.of(7, 31), List.of("qx", "abc"), SamplesTest::letters);
        return new GenerationSettings(new SamplingParams(maxNewTokens, sampling, penalty, ending), batch);
    }

    private static void requireAlike(Generation actual, Generation expected) {
        assertThat(actual.ids()).isEqualTo(expected.ids());
        assertThat(actual.finish()).isEqualTo(expected.finish());
        for (int t = 0; t < expected.ids().length; t++) {
            assertThat(actual.logProbabilities()[t]).isCloseTo(expected.logProbabilities()[t], within(1e-3f));
            assertThat(actual.samplingLogProbabilities()[t])
                    .isCloseTo(expected.samplingLogProbabilities()[t], within(1e-3f));
            assertThat(actual.policyLogProbabilities()[t])
                    .isCloseTo(expected.policyLogProbabilities()[t], within(1e-3f));
        }
    }

    private static void requireThePlain(Model model, int count, int longest, int samples, GenerationSettings settings) {
        requireThePlain(model, requests(count, longest, samples, settings), settings);
    }

    private static void requireThePlain(Model model, List<GenerationRequest> requests, GenerationSettings settings) {
        List<Generation> samples =
                new Generator(decoder(model)).generate(requests, settings.batchSize(), SamplesTest::never);
        assertThat(samples).hasSameSizeAs(requests);
        for (int i = 0; i < requests.size(); i++) {
            GenerationRequest request = requests.get(i);
            requireAlike(
                    samples.get(i),
                    PlainGenerator.generate(decoder(model), request.prompt().ids(), request.seed(), settings));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBatchOfRaggedPromptsWritesWhatEachWouldAlone(Model model) {
        List<Sampling> samplings = Arrays.asList(
                null,
                new Sampling(1, 0, 1),
                new Sampling(0.7, 10, 0.9),
                new Sampling(1.6, 0, 0.8, 0.02),
                new Sampling(2, 0, 1, 0.05));
        for (Sampling sampling : samplings) {
            requireThePlain(model, 7, 20, 1, settings(12, sampling, 1, 7));
            requireThePlain(model, 5, 12, 1, settings(12, sampling, 1.3, 2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void manySamplesAreSeparateRunsWithTheirSeedsInOneBatchOrSeveral(Model model) {
        for (int batch : new int[] {1, 4, 24}) {
            requireThePlain(model, 4, 9, 3, settings(14, new Sampling(1.2, 0, 0.95), 1, batch));
        }
    }

    @ParameterizedTest
    @EnumSource
    void promptsThatSeveralRequestsHaveAreSampledForEach(Model model) {
        GenerationSettings settings = settings(10, new Sampling(1, 0, 1), 1, 5);
        List<GenerationRequest> twice = new ArrayList<>(requests(3, 9, 2, settings));
        twice.addAll(requests(3, 9, 2, settings));
        requireThePlain(model, twice, settings);
    }

    @ParameterizedTest
    @EnumSource
    void promptsNearTheLastPositionAreCutOneByOne(Model model) {
        GenerationSettings settings = Requests.sampled(12, new Sampling(1, 0, 1), List.of(), 3);
        SamplingParams params = settings.params();
        List<GenerationRequest> requests = List.of(
                Requests.of(new Random(1).longs(POSITIONS - 2, 0, VOCABULARY).toArray(), params, 3, null),
                Requests.of(new long[] {4, 9}, params, 4, null),
                Requests.of(new Random(2).longs(POSITIONS, 0, VOCABULARY).toArray(), params, 5, null));
        requireThePlain(model, requests, settings);
        assertThat(new Generator(decoder(model)).generate(requests, 3, SamplesTest::never))
                .extracting(sample -> sample.ids().length)
                .containsExactly(3, 12, 1);
    }

    @Test
    void samplingLogprobs_equalTheModels_andAreZeroForGreedyTokens() {
        Generator generator = new Generator(decoder(Model.LLAMA));
        GenerationSettings plain = Requests.sampled(9, new Sampling(1, 0, 1), List.of(), 3);
        for (Generation sample : generator.generate(requests(3, 9, 1, plain), 3, SamplesTest::never)) {
            for (int t = 0; t < 9; t++) {
                assertThat(sample.samplingLogProbabilities()[t]).isCloseTo(sample.logProbabilities()[t], within(1e-4f));
            }
        }
        for (Sampling one : Arrays.asList(null, new Sampling(1, 1, 1))) {
            Generation sample = generator
                    .generate(requests(3, 9, 1, settings(9, one, 1, 3)), 3, SamplesTest::never)
                    .get(0);
            assertThat(sample.samplingLogProbabilities()).containsOnly(0);
            assertThat(sample.logProbabilities()[0]).isNegative();
        }
    }

    @Test
    void neighbouringSeedsDrawNothingAlike() {
        double[][] draws = new double[200][];
        for (int seed = 0; seed < draws.length; seed++) {
            SplittableRandom own = Sequence.draws(seed);
            draws[seed] = new double[] {own.nextDouble(), own.nextDouble(), own.nextDouble()};
        }
        assertThat(Arrays.stream(draws).flatMapToDouble(Arrays::stream).distinct())
                .hasSize(600);
        double mean = Arrays.stream(draws).mapToDouble(d -> d[0]).average().orElseThrow();
        assertThat(mean).isCloseTo(0.5, within(0.06));
        SamplingParams greedy = SamplingParams.greedy(1, List.of());
        assertThat(Requests.of(new long[] {1}, greedy, 7, null).samples(3))
                .extracting(GenerationRequest::seed)
                .containsExactly(7L, 8L, 9L);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsCalledOffIsTheBeginningOfWhatWouldHaveBeen(Model model) {
        GenerationSettings settings = Requests.sampled(12, new Sampling(1, 0, 1), List.of(), 4);
        List<GenerationRequest> requests = requests(6, 9, 2, settings);
        List<Generation> whole = new Generator(decoder(model)).generate(requests, 4, SamplesTest::never);
        for (int stop : new int[] {0, 1, 5, 14}) {
            AtomicInteger looks = new AtomicInteger();
            List<Generation> cut =
                    new Generator(decoder(model)).generate(requests, 4, () -> looks.getAndIncrement() >= stop);
            int written = 0;
            for (int i = 0; i < requests.size(); i++) {
                Generation part = cut.get(i);
                long[] ids = whole.get(i).ids();
                assertThat(part.ids()).isEqualTo(Arrays.copyOf(ids, part.ids().length));
                assertThat(part.finish())
                        .isEqualTo(part.ids().length < ids.length ? FinishReason.CANCELLED : FinishReason.LENGTH);
                written += part.ids().length;
            }
            // a hybrid reads a prompt up to its last token in a step of its own, while the prompt's other sample waits
            assertThat(written).as("a look before each step of four rows").isBetween(4 * (stop - 3), 4 * stop);
        }
    }

    @Test
    void whatIsCalledOffLeavesNoMemoryBehind() throws IOException {
        DecoderConfig config =
                TinyModels.llama(VOCABULARY, 32, 48, 2, AttentionShape.of(8, 8, 64, 10_000), 8192, true, List.of(2));
        try (DecoderWeights weights = ModelInit.random(config, 3);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32)) {
            GenerationSettings settings = GenerationSettings.greedy(2200, List.of(), 8);
            List<GenerationRequest> requests = requests(8, 9, 1, settings);
            // the caches of eight rows of 2,200 positions are four tensors of 36 MB: twenty leaked batches would be 2.9
            // GB. glibc gives freed tensors
            // back from 32 MiB on; smaller ones it may keep in gaps of its heap
            long before = 0;
            for (int round = 0; round < 24; round++) {
                AtomicInteger looks = new AtomicInteger();
                new Generator(decoder).generate(requests, 8, () -> looks.getAndIncrement() >= 2);
                before = round == 3 ? residentBytes() : before;
            }
            assertThat(residentBytes() - before).isLessThan(500_000_000L);
        }
    }

    static long residentBytes() throws IOException {
        return 4096
                * Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1]);
    }

    @Test
    void whatDoesNotFitIsRefusedBeforeTheFirstStepAndSaysWhatIsThere() {
        Generator generator = new Generator(decoder(Model.LLAMA), wanted -> 12_000_000L);
        Sampling sampling = new Sampling(1, 0, 1);
        SamplingParams params = new SamplingParams(50, sampling, 1, StoppingCriteria.at(List.of()));
        List<GenerationRequest> requests =
                Requests.of(new long[] {1, 2}, params, 0, null).samples(2000);

        assertThatThrownBy(() -> generator.generate(requests, 2000, SamplesTest::never))
                .isInstanceOf(PrpfException.class)
                .hasMessageStartingWith("generating 2000 responses together needs about 0.03 GB of memory")
                .hasMessageContaining("51 positions each")
                .hasMessageContaining("0.01 GB are free")
                .extracting(e -> ExitCode.of(e))
                .isEqualTo(ExitCode.OUT_OF_MEMORY);
        SamplingParams brief = settings(2, sampling, 1, 4).params();
        assertThat(generator.generate(
                        Requests.of(new long[] {1, 2}, brief, 0, null).samples(2000), 4, SamplesTest::never))
                .as("the same samples four at a time")
                .hasSize(2000);
    }

    @ParameterizedTest
    @EnumSource
    void theEstimateOfCachesIsWhatTheyTake(Model model) {
        for (int positions : new int[] {5, 64}) {
            try (KvCache caches = new KvCache(decoder(model), 3, positions)) {
                long bytes = Arrays.stream(caches.arrays())
                        .mapToLong(array -> 4 * array.getShape().size())
                        .sum();
                assertThat(GenerationMemory.caches(decoder(model).shape(), 3, positions))
                        .isEqualTo(bytes);
            }
        }
    }
}
