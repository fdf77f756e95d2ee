package dev.prpf.par.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.io.SafeTensors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The decoder against transformers' eager attention in float32. */
class DecoderGoldenTest {
    private static Path folder;
    private static Decoder decoder;
    private static SafeTensors golden;

    @BeforeAll
    static void load() {
        folder = Golden.folder("llama");
        decoder = Decoder.load(folder, Precision.FP32);
        golden = SafeTensors.open(folder.resolve("golden.safetensors"));
    }

    @AfterAll
    static void close() {
        if (golden != null) {
            decoder.close();
            golden.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 63, 64, 65, 130})
    void logitsHiddenStatesAndLogProbabilitiesAgree(int length) {
        String name = "len" + length;
        long[] ids = Golden.ids(golden, name + ".input_ids");

        assertThat(largestDifference(flat(decoder.logits(ids)), golden.floats(name + ".logits")))
                .isLessThan(1e-4);
        float[][] states = decoder.hiddenStates(ids);
        assertThat(states).hasNumberOfRows(4);
        for (int i = 0; i < states.length; i++) {
            assertThat(largestDifference(states[i], golden.floats(name + ".hidden." + i)))
                    .isLessThan(1e-4);
        }
        double[] expected = Golden.doubles(golden, name + ".logprobs");
        float[] actual = decoder.logProbabilities(ids);
        assertThat(actual).hasSize(expected.length);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) actual[i]).isCloseTo(expected[i], within(1e-4));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 63, 64, 65, 130})
    void writesTheSameGreedyTokens(int length) {
        String name = "len" + length;
        List<long[]> prompt = List.of(Golden.ids(golden, name + ".input_ids"));

        Generation generation = new Generator(decoder)
                .generate(prompt, GenerationSettings.greedy(64, List.of(), 1))
                .get(0);

        assertThat(generation.ids()).isEqualTo(Golden.ids(golden, name + ".greedy"));
        assertThat(generation.ended()).isFalse();
    }

    @Test
    void promptsOfAllLengthsInOneBatchWriteTheSameGreedyTokens() {
        List<long[]> prompts = new ArrayList<>();
        List<String> names = List.of("len130", "len3", "len64", "len1");
        names.forEach(name -> prompts.add(Golden.ids(golden, name + ".input_ids")));

        List<Generation> generations =
                new Generator(decoder).generate(prompts, GenerationSettings.greedy(64, List.of(), 4));

        for (int i = 0; i < names.size(); i++) {
            assertThat(generations.get(i).ids()).isEqualTo(Golden.ids(golden, names.get(i) + ".greedy"));
        }
    }

    @Test
    void aLeftPaddedBatchGivesTheLogitsOfItsLastPositions() {
        long[] ids = Golden.ids(golden, "ragged.input_ids");
        long[] mask = Golden.ids(golden, "ragged.mask");
        float[] expected = golden.floats("ragged.last_logits");
        int vocabulary = decoder.config().vocabularySize();
        List<long[]> prompts = new ArrayList<>();
        for (int row = 0; row < 3; row++) {
            int at = row * 64;
            int pad = 0;
            while (mask[at + pad] == 0) {
                pad++;
            }
            prompts.add(java.util.Arrays.copyOfRange(ids, at + pad, at + 64));
        }

        List<Generation> first = new Generator(decoder).generate(prompts, GenerationSettings.greedy(1, List.of(), 3));

        for (int row = 0; row < 3; row++) {
            float[] logits = java.util.Arrays.copyOfRange(expected, row * vocabulary, (row + 1) * vocabulary);
            int best = argmax(logits);
            assertThat(first.get(row).ids()).containsExactly(best);
            double logProbability = logits[best] - logSumExp(logits);
            assertThat((double) first.get(row).logProbabilities()[0]).isCloseTo(logProbability, within(1e-4));
        }
    }

    @Test
    void bfloat16WeightsGiveLogitsOfTheSameDirection() {
        try (Decoder half = Decoder.load(folder, Precision.BF16)) {
            long[] ids = Golden.ids(golden, "len130.input_ids");
            float[] actual = flat(half.logits(ids));
            float[] expected = golden.floats("len130.logits");
            double dot = 0;
            double a = 0;
            double b = 0;
            for (int i = 0; i < expected.length; i++) {
                dot += (double) actual[i] * expected[i];
                a += (double) actual[i] * actual[i];
                b += (double) expected[i] * expected[i];
            }
            assertThat(dot / Math.sqrt(a * b)).isGreaterThan(0.999);
        }
    }

    private static float[] flat(float[][] rows) {
        float[] values = new float[rows.length * rows[0].length];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(rows[i], 0, values, i * rows[0].length, rows[0].length);
        }
        return values;
    }

    private static double largestDifference(float[] actual, float[] expected) {
        assertThat(actual).hasSameSizeAs(expected);
        double largest = 0;
        for (int i = 0; i < expected.length; i++) {
            largest = Math.max(largest, Math.abs(actual[i] - expected[i]));
        }
        return largest;
    }

    private static int argmax(float[] values) {
        int best = 0;
        for (int i = 1; i < values.length; i++) {
            best = values[i] > values[best] ? i : best;
        }
        return best;
    }

    private static double logSumExp(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += Math.exp(value);
        }
        return Math.log(sum);
    }
}
