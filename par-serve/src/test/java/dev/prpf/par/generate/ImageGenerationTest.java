package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.ImageGolden;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Prompts with images, against transformers and against the same model without cache, batch and chunks. */
class ImageGenerationTest {
    /** Random delta-nets amplify what is rounded away. */
    private static final double TOLERANCE = 1e-3;

    private static final int VOCABULARY = 40;
    private static final int PLACEHOLDER = 39;
    private static final int POSITIONS = 300;
    private static final int NEW = 24;
    private static final SamplingParams GREEDY = SamplingParams.greedy(NEW, List.of());

    static Stream<ImageGolden> goldens() {
        return ImageGolden.here();
    }

    private static CausalLm decoder(boolean deltaNets) {
        try (DecoderWeights weights = ModelInit.random(
                TinyModels.seeing(VOCABULARY, POSITIONS, deltaNets),
                new ModelInit.Scale(deltaNets ? 0.1 : 0.3, 0),
                3)) {
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    private static ImageFeatures image(String key, int rows, int columns) {
        Random random = new Random(key.hashCode());
        float[] values = new float[rows * columns * 32];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian() / 4;
        }
        return new ImageFeatures(key, new ImageGrid(rows, columns), values);
    }

    /** 70 tokens of text, and after each image 9 more. */
    private static GenerationRequest prompt(ImageFeatures... images) {
        long[] ids = new Random(5).longs(70, 3, PLACEHOLDER).toArray();
        for (ImageFeatures image : images) {
            long[] places = new long[image.grid().tokens()];
            Arrays.fill(places, PLACEHOLDER);
            long[] text = new Random(6).longs(9, 3, PLACEHOLDER).toArray();
            ids = Stream.of(ids, places, text).flatMapToLong(LongStream::of).toArray();
        }
        return new GenerationRequest(
                new Prompt(ids, ImageInputs.of(ids, PLACEHOLDER, List.of(images))), GREEDY, 0, null);
    }

    /** No cache, one token after the other. */
    private static long[] plain(CausalLm decoder, GenerationRequest request) {
        long[] whole = request.prompt().ids();
        ImageInputs images = request.prompt().images();
        for (int i = 0; i < NEW; i++) {
            float[] last = Outputs.logits(decoder, new Prompt(whole, images))[whole.length - 1];
            int best = IntStream.range(0, last.length)
                    .reduce((a, b) -> last[b] > last[a] ? b : a)
                    .orElseThrow();
            whole = Arrays.copyOf(whole, whole.length + 1);
            whole[whole.length - 1] = best;
        }
        return Arrays.copyOfRange(whole, request.prompt().length(), whole.length);
    }

    private static List<long[]> run(Scheduler scheduler, List<GenerationRequest> requests) {
        List<Sequence> sequences = new ArrayList<>();
        requests.forEach(request -> sequences.add(scheduler.add(request, null)));
        while (!scheduler.idle()) {
            for (Scheduler.Event event : scheduler.step()) {
                assertThat(event).isNotInstanceOf(Scheduler.Event.Failed.class);
            }
        }
        return sequences.stream().map(sequence -> sequence.generation().ids()).toList();
    }

    private static SchedulerSettings settings(int rows, int batchedTokens, long prefixBytes) {
        return new SchedulerSettings(rows, POSITIONS, batchedTokens, prefixBytes, true, 4);
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void logitsAndPositionsAreThoseOfTransformers(ImageGolden golden) {
        try (SafeTensors file = golden.open();
                CausalLm decoder = HuggingFaceDirectory.open(golden.folder()).decoder(Precision.FP32)) {
            for (String name : ImageGolden.CASES) {
                long[] ids = Golden.ids(file, name + ".input_ids");
                long[][] positions = golden.prompt(file, name).images().places().positions(0, ids.length);
                assertThat(Stream.of(positions).flatMapToLong(LongStream::of).toArray())
                        .isEqualTo(Golden.ids(file, name + ".position_ids"));
                float[][] logits = Outputs.logits(decoder, golden.prompt(file, name));
                float[] expected = file.floats(name + ".logits");
                int vocabulary = decoder.config().vocabularySize();
                for (int i = 0; i < expected.length; i++) {
                    assertThat(Math.abs(logits[i / vocabulary][i % vocabulary] - expected[i]))
                            .isLessThan((float) TOLERANCE);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void writesTheGreedyTokensOfTransformersAloneAndInABatchWithText(ImageGolden golden) {
        try (SafeTensors file = golden.open();
                CausalLm decoder = HuggingFaceDirectory.open(golden.folder()).decoder(Precision.FP32)) {
            SamplingParams greedy = SamplingParams.greedy(NEW, List.of());
            List<GenerationRequest> requests = ImageGolden.CASES.stream()
                    .map(name -> new GenerationRequest(golden.prompt(file, name), greedy, 0, null))
                    .toList();
            long[] text = {7, 8, 9, 10, 11};
            Generator generator = new Generator(decoder);
            GenerationRequest plain = Requests.of(text, greedy, 0, null);
            long[] alone =
                    generator.generate(List.of(plain), 3, () -> false).get(0).ids();
            for (int i = 0; i < requests.size(); i++) {
                List<Generation> one = generator.generate(List.of(requests.get(i)), 3, () -> false);
                assertThat(one.get(0).ids()).isEqualTo(Golden.ids(file, ImageGolden.CASES.get(i) + ".greedy"));
            }
            List<GenerationRequest> mixed = List.of(requests.get(1), plain, requests.get(0), requests.get(1));
            List<Generation> all = generator.generate(mixed, 3, () -> false);
            assertThat(all.get(0).ids()).isEqualTo(Golden.ids(file, "two.greedy"));
            assertThat(all.get(1).ids()).isEqualTo(alone);
            assertThat(all.get(2).ids()).isEqualTo(Golden.ids(file, "one.greedy"));
            assertThat(all.get(3).ids()).isEqualTo(Golden.ids(file, "two.greedy"));
        }
    }

    /** Chunks of 7 tokens begin and end within images. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inABatchInChunksAndWithGuessesEachWritesWhatItWritesAlone(boolean deltaNets) {
        List<GenerationRequest> requests = List.of(
                prompt(image("a", 4, 6), image("b", 3, 5)),
                prompt(),
                prompt(image("c", 1, 9)),
                prompt(image("a", 4, 6), image("d", 5, 3)));
        try (CausalLm decoder = decoder(deltaNets)) {
            List<long[]> plain =
                    requests.stream().map(request -> plain(decoder, request)).toList();
            for (int batchedTokens : new int[] {7, 1024}) {
                for (long prefixBytes : new long[] {0, 1 << 24}) {
                    try (Scheduler scheduler = new Scheduler(decoder, settings(3, batchedTokens, prefixBytes))) {
                        assertThat(run(scheduler, requests).toArray(long[][]::new))
                                .isDeepEqualTo(plain.toArray(long[][]::new));
                    }
                }
            }
            assertThat(plain.get(0)).isNotEqualTo(plain.get(3));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsKnownOfAPromptServesTheSameImagesAlone(boolean deltaNets) {
        GenerationRequest one = prompt(image("a", 12, 12));
        GenerationRequest other = prompt(image("b", 12, 12));
        assertThat(one.prompt().ids()).isEqualTo(other.prompt().ids());
        try (CausalLm decoder = decoder(deltaNets);
                Scheduler scheduler = new Scheduler(decoder, settings(1, PrefixCache.BLOCK, 1 << 24))) {
            List<long[]> first = run(scheduler, List.of(one));
            assertThat(scheduler.stats().prefixTokens()).isZero();
            assertThat(run(scheduler, List.of(one)).get(0)).isEqualTo(first.get(0));
            long whole = one.prompt().length() - 1L;
            assertThat(scheduler.stats().prefixTokens()).isEqualTo(whole);
            assertThat(run(scheduler, List.of(other)).get(0)).isEqualTo(plain(decoder, other));
            assertThat(scheduler.stats().prefixTokens())
                    .as("and the block of text before the image")
                    .isEqualTo(whole + PrefixCache.BLOCK);
            assertThat(plain(decoder, other)).isNotEqualTo(first.get(0));
        }
    }

    @Test
    void featuresOfAnotherModelAndImagesForAModelOfTextAreRefused() {
        ImageFeatures wide = new ImageFeatures("w", new ImageGrid(1, 2), new float[2 * 64]);
        try (CausalLm decoder = decoder(false);
                CausalLm text = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS)) {
            assertRefused(decoder, prompt(wide), ExitCode.BAD_DATA, "features are 64 wide; the model takes 32");
            assertRefused(text, prompt(image("a", 1, 2)), ExitCode.BAD_CONFIG, "the model is one of text");
        }
    }

    private static void assertRefused(CausalLm decoder, GenerationRequest request, ExitCode code, String message) {
        assertThatThrownBy(() -> new Generator(decoder).generate(List.of(request), 1, () -> false))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContaining(message);
    }
}
