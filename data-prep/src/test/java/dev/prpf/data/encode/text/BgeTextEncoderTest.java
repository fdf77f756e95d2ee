package dev.prpf.data.encode.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.TestFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BgeTextEncoderTest {
    private static BgeTextEncoder fp32;
    private static BgeTextEncoder int8;

    @BeforeAll
    static void load() {
        fp32 = BgeTextEncoder.load(Precision.FP32, LongText.MEAN_OF_WINDOWS, 2);
        int8 = BgeTextEncoder.load(Precision.INT8, LongText.MEAN_OF_WINDOWS, 2);
    }

    @AfterAll
    static void close() {
        fp32.close();
        int8.close();
    }

    @Test
    void equalsTheReferenceOnAllGoldenTexts() throws IOException {
        JsonNode texts = goldenTexts();
        List<String> list = StreamSupport.stream(texts.spliterator(), false)
                .map(t -> t.path("text").asText())
                .toList();
        float[] golden;
        try (SafeTensors file = SafeTensors.open(TestFiles.golden("bge-small-zh-v1.5/golden.safetensors"))) {
            golden = file.floats("embeddings"); // (75, 512)
        }
        float[][] vectors;
        try (BgeTextEncoder truncating = BgeTextEncoder.load(Precision.FP32, LongText.TRUNCATE, 2)) {
            vectors = truncating.encode(list);
            assertThat(truncating.shortened()).as("texts beyond 510 tokens").isEqualTo(1);
        }
        assertThat(vectors).hasNumberOfRows(75);
        double worst = 0;
        for (int i = 0; i < vectors.length; i++) {
            for (int d = 0; d < 512; d++) {
                worst = Math.max(worst, Math.abs(vectors[i][d] - golden[i * 512 + d]));
            }
        }
        assertThat(worst).isLessThan(1e-4);
    }

    @Test
    void tokenIdsEqualTheReferenceOnAllGoldenTexts() throws IOException {
        try (BgeTokenizer tokenizer = BgeTokenizer.load()) {
            for (JsonNode text : goldenTexts()) {
                long[] expected = StreamSupport.stream(text.path("ids").spliterator(), false)
                        .mapToLong(JsonNode::asLong)
                        .toArray();
                long[] ids = tokenizer.ids(text.path("text").asText());
                assertThat(BgeTokenizer.window(ids, 0))
                        .as(text.path("text").asText())
                        .isEqualTo(expected);
            }
        }
    }

    private static JsonNode goldenTexts() throws IOException {
        return new ObjectMapper()
                .readTree(TestFiles.golden("bge-small-zh-v1.5/texts.json").toFile());
    }

    @Test
    void aLongTextIsTheNormalisedMeanOfItsWindows() {
        String head = "明天早上去机场，".repeat(63) + "明天早上去机"; // 63 * 8 + 6 = 510 tokens
        String middle = "晚上回家做饭吃。".repeat(63) + "晚上回家做饭"; // 510 tokens
        String tail = "买票";
        long before = fp32.shortened();
        float[] whole = fp32.encode(List.of(head + middle + tail))[0];
        assertThat(fp32.shortened() - before).isEqualTo(1);
        float[][] parts = fp32.encode(List.of(head, middle, tail));
        assertThat(fp32.shortened() - before).as("510 tokens fit").isEqualTo(1);
        double[] mean = new double[512];
        double squares = 0;
        for (int d = 0; d < 512; d++) {
            mean[d] = (parts[0][d] + parts[1][d] + parts[2][d]) / 3.0;
            squares += mean[d] * mean[d];
        }
        for (int d = 0; d < 512; d++) {
            assertThat(whole[d]).isCloseTo((float) (mean[d] / Math.sqrt(squares)), within(1e-6f));
        }
    }

    private static org.assertj.core.data.Offset<Float> within(float tolerance) {
        return org.assertj.core.data.Offset.offset(tolerance);
    }

    @Test
    void aVectorDoesNotDependOnItsNeighbours() {
        List<String> texts = List.of("好", "打车去虹桥机场T2航站楼", "", "收到一条短信：" + "验证码已发送".repeat(20), "好", "坏", "行");
        for (BgeTextEncoder encoder : List.of(fp32, int8)) {
            float[][] together = encoder.encode(texts);
            for (int i = 0; i < texts.size(); i++) {
                assertThat(encoder.encode(List.of(texts.get(i)))[0])
                        .as(encoder.id() + " alone: " + texts.get(i))
                        .containsExactly(together[i], within(encoder == int8 ? 0f : 1e-6f));
            }
        }
    }

    @Test
    void int8StaysNearFp32() throws IOException {
        List<String> texts = new ArrayList<>();
        goldenTexts().forEach(t -> texts.add(t.path("text").asText()));
        float[][] exact = fp32.encode(texts);
        float[][] quantised = int8.encode(texts);
        double sum = 0;
        double lowest = 1;
        for (int i = 0; i < exact.length; i++) {
            double cosine = 0;
            for (int d = 0; d < 512; d++) {
                cosine += (double) exact[i][d] * quantised[i][d];
            }
            sum += cosine;
            lowest = Math.min(lowest, cosine);
        }
        assertThat(sum / exact.length).as("mean cosine int8 to fp32").isGreaterThan(0.98);
        assertThat(lowest).as("lowest cosine int8 to fp32").isGreaterThan(0.9);
    }

    @Test
    void theIdNamesWeightsAndLongTextRule() {
        assertThat(fp32.id()).isEqualTo("bge-small-zh-v1.5-fp32-69a0b846-mean-of-windows");
        assertThat(int8.id()).isEqualTo("bge-small-zh-v1.5-int8-15b717c3-cls-mean-of-windows");
        assertThat(fp32.width()).isEqualTo(512);
    }
}
