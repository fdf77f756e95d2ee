package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Sampler.TokenMask;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Penalty, top-k, top-p and min-p against transformers' logits processors on made logits (src/test/python/logits_processors.py). */
class SamplingGoldenTest {
    static List<JsonNode> cases() throws IOException {
        try (InputStream in = SamplingGoldenTest.class.getResourceAsStream("logits-processors.json")) {
            JsonNode root = new ObjectMapper().readTree(in);
            return StreamSupport.stream(root.spliterator(), false).toList();
        }
    }

    private static float[] floats(JsonNode values) {
        float[] result = new float[values.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = (float) values.get(i).asDouble();
        }
        return result;
    }

    private static GenerationSettings settings(JsonNode settings) {
        Sampling sampling = new Sampling(
                settings.path("temperature").asDouble(1),
                settings.path("top_k").asInt(),
                settings.path("top_p").asDouble(1),
                settings.path("min_p").asDouble(0));
        return new GenerationSettings(
                new SamplingParams(
                        1, sampling, settings.path("repetition_penalty").asDouble(1), StoppingCriteria.at(List.of())),
                1);
    }

    private static BitSet seen(JsonNode ids) {
        BitSet seen = new BitSet();
        ids.forEach(id -> seen.set(id.asInt()));
        return seen;
    }

    private static double[] ours(JsonNode row) {
        GenerationSettings settings = settings(row.path("settings"));
        Sampling sampling = Objects.requireNonNull(settings.params().sampling());
        float[] logits = floats(row.path("logits"));
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray x = (PtNDArray) scratch.create(logits, new Shape(1, logits.length));
            long[][] seen = {seen(row.path("seen")).toLongArray()};
            PtNDArray penalised = new TokenMask(logits.length)
                    .penalised(scratch, x, seen, settings.params().repetitionPenalty());
            PtNDArray[] kept = Script.decoder()
                    .tensors(
                            scratch,
                            "warped",
                            penalised,
                            sampling.temperature(),
                            (long) sampling.topK(),
                            sampling.topP(),
                            sampling.minP());
            return inOrder(
                    kept[0].toDoubleArray(), kept[1].isEmpty() ? new long[0] : kept[1].toLongArray(), logits.length);
        }
    }

    private static double[] inOrder(double[] shares, long[] tokens, int width) {
        double sum = Arrays.stream(shares).sum();
        double[] all = new double[width];
        for (int i = 0; i < shares.length; i++) {
            all[tokens.length == 0 ? i : (int) tokens[i]] += shares[i] / sum;
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatRemainsIsWhatTransformersLeaves(JsonNode row) {
        double[] ours = ours(row);
        JsonNode theirs = row.path("probabilities");
        assertThat(ours).hasSize(theirs.size());
        for (int id = 0; id < ours.length; id++) {
            assertThat(ours[id]).as("token %d", id).isCloseTo(theirs.path(id).asDouble(), within(2e-6));
            assertThat(ours[id] > 0).isEqualTo(theirs.path(id).asDouble() > 0);
        }
    }

    /** The plain reference of the other tests is itself held to transformers. */
    @ParameterizedTest
    @MethodSource("cases")
    void thePlainReferenceLeavesTheSame(JsonNode row) {
        long[] seen = seen(row.path("seen")).stream().asLongStream().toArray();
        double[] plain = PlainGenerator.shares(floats(row.path("logits")), seen, settings(row.path("settings")));
        for (int id = 0; id < plain.length; id++) {
            assertThat(plain[id]).isCloseTo(row.path("probabilities").path(id).asDouble(), within(2e-6));
        }
    }

    @Test
    void theCasesCutOffAndKeep() throws IOException {
        assertThat(cases()).hasSizeGreaterThan(100);
        assertThat(cases().stream().filter(row -> row.path("settings").has("min_p")))
                .hasSizeGreaterThan(30);
        assertThat(cases().stream().filter(row -> row.path("settings").has("repetition_penalty")))
                .hasSizeGreaterThan(30);
    }
}
