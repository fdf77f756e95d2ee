package dev.prpf.data.encode.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.TestFiles;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.text.OnnxTextEncoder.Running;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Tag("slow")
class OnnxTextEncoderTest {
    private static final Logger LOG = LoggerFactory.getLogger(OnnxTextEncoderTest.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static OnnxTextEncoder fp32;
    private static OnnxTextEncoder int8;

    @TempDir
    Path folder;

    @BeforeAll
    static void load() {
        fp32 = load(ShippedEncoders.DEFAULT, EncoderPrecision.FP32, LongText.MEAN_OF_WINDOWS);
        int8 = load(ShippedEncoders.DEFAULT, EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS);
    }

    @AfterAll
    static void close() {
        fp32.close();
        int8.close();
    }

    private static OnnxTextEncoder load(String choice, EncoderPrecision precision, LongText longText) {
        return new OnnxTextEncoder(EncoderSpec.ofText(choice), new Running(precision, longText, 2, false));
    }

    private static List<String> texts() throws IOException {
        return List.of(
                JSON.readValue(TestFiles.golden("text-encoders/texts.json").toFile(), String[].class));
    }

    @Test
    void partsOfALongText_areItsWindowsAndGiveTheSameVector() throws IOException {
        String caption = String.join("，", texts()).repeat(20).substring(0, 5000);
        List<String> texts = List.of("火车站", "12:30", caption, "会议");
        List<Long> tokens = new ArrayList<>();
        float[][] inParts = int8.encode(texts, part -> {
            long before = int8.tokens();
            part.run();
            tokens.add(int8.tokens() - before);
        });
        assertThat(inParts).isDeepEqualTo(int8.encode(texts));
        assertThat(tokens)
                .as("short texts, the tokens of the long one, each of its windows, a short text")
                .containsExactly(10L, 0L, 512L, 512L, 512L, 512L, 277L, 4L);
    }

    static Stream<String> shipped() {
        return ShippedEncoders.TEXT.stream().map(EncoderSpec::id);
    }

    @Test
    void defaultEncoder_equalsOnnxRuntimeInPythonOnAllTexts() throws IOException {
        assertEqualsGolden(ShippedEncoders.DEFAULT);
    }

    static Stream<String> others() {
        return shipped().filter(id -> !id.equals(ShippedEncoders.DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("others")
    @Tag("nightly")
    void otherEncoders_equalOnnxRuntimeInPythonOnAllTexts(String id) throws IOException {
        assertEqualsGolden(id);
        try (OnnxTextEncoder encoder = load(id, EncoderPrecision.FP32, LongText.MEAN_OF_WINDOWS)) {
            assertIdsGiveTheVectorOfTheirText(id, encoder);
        }
    }

    /** The smaller test is {@link #int8StaysNearFp32}. */
    @Test
    @Tag("nightly")
    void englishEncoder_inInt8_isCloseToItsFp32() {
        String id = "bge-small-en-v1.5";
        List<String> texts = List.of("It is raining at the station.", "She opens the map.", "He pays the bill.");
        try (OnnxTextEncoder exact = load(id, EncoderPrecision.FP32, LongText.MEAN_OF_WINDOWS);
                OnnxTextEncoder quantised = load(id, EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS)) {
            float[][] expected = exact.encode(texts);
            float[][] vectors = quantised.encode(texts);
            for (int i = 0; i < texts.size(); i++) {
                double cosine = 0;
                for (int w = 0; w < expected[i].length; w++) {
                    cosine += expected[i][w] * vectors[i][w];
                }
                assertThat(cosine).as(texts.get(i)).isGreaterThan(0.95);
            }
        }
    }

    @Test
    void idsOfAText_withOrWithoutSpecialTokens_giveItsVector() throws IOException {
        assertIdsGiveTheVectorOfTheirText(ShippedEncoders.DEFAULT, fp32);
    }

    private static void assertIdsGiveTheVectorOfTheirText(String id, OnnxTextEncoder encoder) throws IOException {
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.newInstance(
                new ByteArrayInputStream(
                        EncoderSpec.ofText(id).text().tokenizer().bytes()),
                Map.of("truncation", "false", "padding", "false"))) {
            List<String> texts = List.of("火车站 Hello, 世界", "很长的文本。".repeat(100), "an 𓀀 unknown one");
            float[][] vectors = encoder.encode(texts);
            for (boolean special : new boolean[] {true, false}) {
                List<long[]> ids = texts.stream()
                        .map(text -> tokenizer.encode(text, special, false).getIds())
                        .toList();
                for (int i = 0; i < texts.size(); i++) {
                    assertThat(encoder.encodeIds(ids.get(i), Runnable::run))
                            .containsExactly(vectors[i], Offset.offset(1e-6f));
                    assertThat(encoder.tokensOf(ids.get(i))).isEqualTo(encoder.tokensOf(texts.get(i)));
                }
            }
            assertThat(encoder.vocabularySize()).isEqualTo(id.contains("-zh-") ? 21_128 : 30_522);
        }
    }

    private static void assertEqualsGolden(String id) throws IOException {
        List<String> texts = texts();
        assertThat(texts).hasSizeGreaterThanOrEqualTo(60);
        float[] golden;
        try (SafeTensors file = SafeTensors.open(TestFiles.golden("text-encoders/" + id + ".safetensors"))) {
            golden = file.floats("embeddings"); // (N, W)
        }
        float[][] vectors;
        try (OnnxTextEncoder encoder = load(id, EncoderPrecision.FP32, LongText.TRUNCATE)) {
            vectors = encoder.encode(texts);
            assertThat(encoder.truncated())
                    .as("texts beyond the encoder's tokens")
                    .isEqualTo(2);
        }
        double worst = 0;
        for (int i = 0; i < vectors.length; i++) {
            for (int d = 0; d < vectors[i].length; d++) {
                worst = Math.max(worst, Math.abs(vectors[i][d] - golden[i * vectors[i].length + d]));
            }
        }
        LOG.info("{}: largest difference from onnxruntime in Python on {} texts: {}", id, texts.size(), worst);
        assertThat(golden).hasSize(vectors.length * vectors[0].length);
        assertThat(worst).isLessThan(1e-4);
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void tokensEqualTheReference(String id) throws IOException {
        EncoderSpec spec = EncoderSpec.ofText(id);
        try (SafeTensors file = SafeTensors.open(TestFiles.golden("text-encoders/" + id + ".safetensors"));
                TextTokenizer tokenizer = TextTokenizer.load(spec.text())) {
            IntBuffer ids = file.map("ids").asIntBuffer();
            IntBuffer lengths = file.map("lengths").asIntBuffer();
            for (String text : texts()) {
                long[] expected = new long[lengths.get()];
                for (int i = 0; i < expected.length; i++) {
                    expected[i] = ids.get();
                }
                assertThat(tokenizer.windows(text).get(0)).as(text).isEqualTo(expected);
            }
        }
    }

    @Test
    void aSharedOneHasTheSameWeightsAndCountsOfItsOwn() {
        List<String> text = List.of("打开地图");
        OnnxTextEncoder owner = load(ShippedEncoders.DEFAULT, EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS);
        OnnxTextEncoder shared = owner.shared();
        assertThat(owner.isLoaded()).isFalse();
        assertThat(shared.encode(text)).isDeepEqualTo(int8.encode(text));
        assertThat(owner.isLoaded()).as("by the other").isTrue();
        assertThat(shared.tokens()).isEqualTo(6);
        assertThat(owner.tokens()).isZero();
        assertThat(owner.flops()).isZero();
        assertThat(owner.seconds()).isZero();
        try (OnnxTextEncoder another = owner.shared()) {
            assertThat(another.tokensOf("打开地图")).isEqualTo(6);
        }
        assertThat(owner.encode(text))
                .as("closing a shared one closes nothing else")
                .isDeepEqualTo(int8.encode(text));
        owner.close();
        assertThatThrownBy(() -> shared.encode(text)).hasMessageContaining("was closed");
        shared.close();
    }

    @Test
    void aLongTextIsTheNormalisedMeanOfItsWindows() {
        String head = "明天早上去机场，".repeat(63) + "明天早上去机"; // 63 * 8 + 6 = 510 tokens
        String middle = "晚上回家做饭吃。".repeat(63) + "晚上回家做饭"; // 510 tokens
        String tail = "买票";
        long before = fp32.truncated();
        float[] whole = fp32.encode(List.of(head + middle + tail))[0];
        assertThat(fp32.truncated() - before).isEqualTo(1);
        float[][] parts = fp32.encode(List.of(head, middle, tail));
        assertThat(fp32.truncated() - before).as("510 tokens fit").isEqualTo(1);
        assertMean(whole, parts);
    }

    private static void assertMean(float[] whole, float[]... parts) {
        double[] mean = new double[whole.length];
        double squares = 0;
        for (int d = 0; d < whole.length; d++) {
            for (float[] part : parts) {
                mean[d] += part[d] / (double) parts.length;
            }
            squares += mean[d] * mean[d];
        }
        for (int d = 0; d < whole.length; d++) {
            assertThat(whole[d]).isCloseTo((float) (mean[d] / Math.sqrt(squares)), within(1e-6f));
        }
    }

    @Test
    void everyWindowOfALongTextHasThePrefix() {
        String head = "go home now ".repeat(169) + "go"; // 508 tokens, plus [CLS] query : … [SEP]
        String tail = "buy a ticket";
        try (OnnxTextEncoder e5 = load("e5-small-v2", EncoderPrecision.FP32, LongText.MEAN_OF_WINDOWS)) {
            float[][] vectors = e5.encode(List.of(head + " " + tail, head, tail));
            assertThat(e5.truncated()).as("508 tokens fit").isEqualTo(1);
            assertMean(vectors[0], vectors[1], vectors[2]);
        }
    }

    private static Offset<Float> within(float tolerance) {
        return Offset.offset(tolerance);
    }

    @Test
    void aVectorDoesNotDependOnItsNeighbours() {
        List<String> texts = List.of("好", "打车去虹桥机场T2航站楼", "", "收到一条短信：" + "验证码已发送".repeat(20), "好", "坏", "行");
        for (OnnxTextEncoder encoder : List.of(fp32, int8)) {
            float[][] together = encoder.encode(texts);
            for (int i = 0; i < texts.size(); i++) {
                assertThat(encoder.encode(List.of(texts.get(i)))[0])
                        .as(encoder.id() + " alone: " + texts.get(i))
                        .containsExactly(together[i], within(encoder == int8 ? 0f : 1e-6f));
            }
        }
    }

    @Test
    void closingWaitsForWhatIsUnderWayAndTakesNothingNew() throws Exception {
        OnnxTextEncoder encoder = load(ShippedEncoders.DEFAULT, EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS);
        CompletableFuture<float[][]> under =
                CompletableFuture.supplyAsync(() -> encoder.encode(List.of("今天天气很好".repeat(1_500))));
        while (encoder.tokens() == 0) {
            Thread.sleep(1);
        }
        encoder.close();
        assertThat(under.get(60, TimeUnit.SECONDS))
                .as("the network was there to its end")
                .hasNumberOfRows(1);
        assertThatThrownBy(() -> encoder.encode(List.of("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("text encoder " + ShippedEncoders.DEFAULT + " was closed");
        encoder.close();
    }

    @Test
    void int8StaysNearFp32() throws IOException {
        float[][] exact = fp32.encode(texts());
        float[][] quantised = int8.encode(texts());
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
        assertThat(EncoderSpec.ofText("e5-small-v2").idOf(EncoderPrecision.FP32, LongText.TRUNCATE))
                .isEqualTo("e5-small-v2-fp32-b2a43b66-truncate");
    }

    /** Creates a directory with the int8 files of bge-small-en-v1.5 and another description. */
    private Path directory(String description) throws IOException {
        EncoderSpec shipped = EncoderSpec.ofText("bge-small-en-v1.5");
        Path directory = Files.createTempDirectory(folder, "own");
        Files.write(
                directory.resolve("model.onnx"),
                shipped.weights(EncoderPrecision.INT8).file().bytes());
        Files.write(
                directory.resolve("tokenizer.json"), shipped.text().tokenizer().bytes());
        Files.writeString(directory.resolve("encoder.yaml"), description);
        return directory;
    }

    private static final String OWN =
            """
            id: my-own
            width: 384
            pooling: cls
            prefix: ""
            normalise: true
            max-tokens: 256
            licence: Apache-2.0
            """;

    @Test
    void aDirectoryOfOnesOwnGivesWhatTheSameFilesGiveShipped() throws IOException {
        List<String> some = texts().subList(25, 29);
        float[][] shipped;
        try (OnnxTextEncoder encoder = load("bge-small-en-v1.5", EncoderPrecision.INT8, LongText.TRUNCATE)) {
            shipped = encoder.encode(some);
        }
        Path directory = directory(OWN);
        String id;
        try (OnnxTextEncoder own = load("dir:" + directory, EncoderPrecision.FP32, LongText.TRUNCATE)) {
            id = own.id();
            assertThat(own.encode(some)).isDeepEqualTo(shipped);
            assertThat(id).matches("my-own-onnx-[0-9a-f]{16}-truncate");
        }
        Files.writeString(directory.resolve("encoder.yaml"), OWN.replace("prefix: \"\"", "prefix: \"query: \""));
        assertThat(EncoderSpec.ofText("dir:" + directory).idOf(EncoderPrecision.FP32, LongText.TRUNCATE))
                .as("another prefix, other vectors")
                .isNotEqualTo(id);
        Files.writeString(directory.resolve("encoder.yaml"), OWN.replace("normalise: true", "normalise: false"));
        try (OnnxTextEncoder own = load("dir:" + directory, EncoderPrecision.FP32, LongText.TRUNCATE)) {
            float[] raw = own.encode(some.subList(0, 1))[0];
            double length = Math.sqrt(dot(raw, raw));
            assertThat(length).as("not scaled").isNotCloseTo(1, Offset.offset(0.1));
            assertThat(dot(raw, shipped[0]) / length).isCloseTo(1, Offset.offset(1e-6));
        }
    }

    private static double dot(float[] a, float[] b) {
        double dot = 0;
        for (int i = 0; i < a.length; i++) {
            dot += (double) a[i] * b[i];
        }
        return dot;
    }

    @Test
    void aDirectoryThatDoesNotFitIsRefused() throws IOException {
        Path directory = directory(OWN.replace("384", "512"));
        try (OnnxTextEncoder own = load("dir:" + directory, EncoderPrecision.FP32, LongText.TRUNCATE)) {
            refused(
                    () -> own.encode(List.of("a")),
                    ExitCode.BAD_DATA,
                    "text encoder my-own: width = 512, but the model gives vectors of 384 floats");
        }
        Files.writeString(directory.resolve("encoder.yaml"), OWN + "speed: 3\n");
        refused(() -> EncoderSpec.ofText("dir:" + directory), ExitCode.BAD_CONFIG, "speed", "is not a known key");
        Files.writeString(directory.resolve("encoder.yaml"), OWN.replace("256", "4"));
        refused(() -> EncoderSpec.ofText("dir:" + directory), ExitCode.BAD_CONFIG, "max-tokens = 4 must be");
        Files.writeString(directory.resolve("encoder.yaml"), OWN);
        Files.writeString(directory.resolve("tokenizer.json"), "{}");
        refused(
                () -> {
                    try (OnnxTextEncoder own = load("dir:" + directory, EncoderPrecision.FP32, LongText.TRUNCATE)) {
                        own.encode(List.of("a"));
                    }
                },
                ExitCode.BAD_DATA,
                "tokenizer.json cannot be loaded as a tokenizer");
        Files.delete(directory.resolve("tokenizer.json"));
        refused(() -> EncoderSpec.ofText("dir:" + directory), ExitCode.UNAVAILABLE, "tokenizer.json does not exist");
        Files.delete(directory.resolve("encoder.yaml"));
        refused(
                () -> EncoderSpec.ofText("dir:" + directory),
                ExitCode.UNAVAILABLE,
                "encoder.yaml does not exist; the directory must hold model.onnx, tokenizer.json and encoder.yaml");
    }

    private static void refused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable action, ExitCode code, String... messages) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(messages);
    }
}
