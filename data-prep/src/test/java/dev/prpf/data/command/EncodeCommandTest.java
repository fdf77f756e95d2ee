package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.TestFiles;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.store.EmbeddingStore;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("slow")
class EncodeCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private record Outcome(int status, String out, String error) {
        JsonNode json() throws IOException {
            return JSON.readTree(out);
        }
    }

    /** Runs the command like the main class: a {@link PrpfException} becomes one line and its exit status. */
    private static Outcome run(Object... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter error = new StringWriter();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(new EncodeCommand());
        line.setErr(new PrintWriter(error));
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            error.write(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        int status = line.execute(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
        return new Outcome(status, out.toString(StandardCharsets.UTF_8), error.toString());
    }

    private Path write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static float[] embeddings(Path file, long... shape) {
        try (SafeTensors tensors = SafeTensors.open(file)) {
            assertThat(tensors.entry("embeddings").shape()).containsExactly(shape);
            return tensors.floats("embeddings");
        }
    }

    @Test
    void writesOneRowATextInOrder() throws IOException {
        Path texts = write("texts.json", "[\"打车去机场\", \"\", \"打车去机场\"]");
        Path out = folder.resolve("deep/er/texts.safetensors");
        Outcome outcome = run("--texts", texts, "--int8", "--out", out, "--json");
        assertThat(outcome.error()).isEmpty();
        assertThat(outcome.status()).isZero();
        assertThat(outcome.json().path("texts").asInt()).isEqualTo(3);
        assertThat(outcome.json().path("longer_than_512_tokens").asInt()).isZero();
        float[] rows = embeddings(out, 3, 512);
        double squares = 0;
        for (int d = 0; d < 512; d++) {
            assertThat(rows[d]).isEqualTo(rows[1024 + d]);
            squares += (double) rows[d] * rows[d];
        }
        assertThat(squares).isCloseTo(1, offset(1e-5));
        assertThat(outcome.out().lines()).as("one JSON object and nothing else").hasSize(1);
    }

    @Test
    void anEmptyArrayGivesAnEmptyTensor() throws IOException {
        Path out = folder.resolve("o.safetensors");
        assertThat(run("--texts", write("t.json", "[]"), "--out", out).status()).isZero();
        assertThat(embeddings(out, 0, 512)).isEmpty();
    }

    @Test
    void encodesImagesByTheirText() throws IOException {
        ImageIO.write(
                new BufferedImage(270, 600, BufferedImage.TYPE_INT_RGB),
                "png",
                folder.resolve("a.png").toFile());
        Path images = write("p.json", "[\"a.png\"]");
        Path out = folder.resolve("p.safetensors");
        Outcome outcome =
                run("--image-paths", images, "--images", folder, "--frame-encoder", "ocr", "--out", out, "--json");
        assertThat(outcome.error()).isEmpty();
        assertThat(outcome.json().path("images").asInt()).isEqualTo(1);
        assertThat(outcome.json().path("frame_encoder").asText()).startsWith("pp-ocrv4-");
        assertThat(embeddings(out, 1, 512)).isNotNull();
    }

    @Test
    void fillsTheStoreAndGoesOnWhereItWas() throws IOException {
        String record = "{\"benchmark_metadata\":{\"id\":\"%s\",\"difficulty_level\":1},\"reference_information\":"
                + "{\"profile\":\"学生\",\"phone\":\"静音\",\"world\":\"晴\",\"trace\":[\"%s\"]}}";
        Path one = write("one.json", "[" + record.formatted("a", "打开地图") + "]");
        Path two = write("two.json", "[" + record.formatted("a", "打开地图") + "," + record.formatted("b", "搜索机场") + "]");
        Path store = folder.resolve("store");
        Outcome first = run("--data", one, "--store", store, "--int8", "--json");
        assertThat(first.error()).isEmpty();
        assertThat(first.json().path("encoded_now").asInt()).isEqualTo(4);
        Outcome second = run("--data", two, "--store", store, "--int8", "--json");
        assertThat(second.json().path("samples").asInt()).isEqualTo(2);
        assertThat(second.json().path("encoded_now").asInt())
                .as("only what is new")
                .isEqualTo(1);
        assertThat(run("--data", two, "--store", store, "--int8", "--json")
                        .json()
                        .path("encoded_now")
                        .asInt())
                .isZero();
    }

    @Test
    void sentencesAreWhatAPerceiverOfSentencesAsksFor() throws IOException {
        Path data = write(
                "s.json",
                "[{\"benchmark_metadata\":{\"id\":\"a\",\"difficulty_level\":1},\"reference_information\":"
                        + "{\"profile\":\"学生。住在上海。\",\"phone\":\"静音。\",\"world\":\"晴。\",\"trace\":[\"打开地图\"]}}]");
        Path store = folder.resolve("store");
        Outcome sentences = run("--data", data, "--store", store, "--int8", "--sentences", "--json");
        assertThat(sentences.error()).isEmpty();
        assertThat(sentences.json().path("encoded_now").asInt())
                .as("two of the profile, one each of phone, world and trace")
                .isEqualTo(5);
        Outcome whole = run("--data", data, "--store", store, "--int8", "--json");
        assertThat(whole.json().path("encoded_now").asInt())
                .as("a text of one sentence is itself")
                .isEqualTo(1);
    }

    @Test
    void sentencesOfTextsAloneAreRefused() throws IOException {
        Outcome outcome = run("--texts", write("t.json", "[\"a\"]"), "--out", folder.resolve("o"), "--sentences");
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.error())
                .contains("--sentences goes with --data; --texts and --image-paths are encoded unchanged");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[\"a\", \"b\"              | cannot be read as JSON: line 1, column 10: Unexpected end-of-input",
                "{\"a\": 1}                 | must hold an array of strings, is OBJECT",
                "[\"a\", 7]                 | element 1 = 7, must be a string",
                "[\"a\", null]              | element 1 = null, must be a string",
                "[\"a\"] [\"b\"]            | cannot be read as JSON: line 1, column 7: Trailing token",
            })
    void refusesWhatIsNoArrayOfStrings(String content, String message) throws IOException {
        Path out = folder.resolve("o.safetensors");
        Outcome outcome = run("--texts", write("bad.json", content), "--out", out);
        assertThat(outcome.status()).isEqualTo(65);
        assertThat(outcome.error()).contains("bad.json: " + message);
        assertThat(out).doesNotExist();
    }

    @Test
    void anotherTextEncoderHasItsOwnWidthAndStore() throws IOException {
        Path texts = write("t.json", "[\"Meeting at nine\", \"Rain is expected\"]");
        Path out = folder.resolve("o.safetensors");
        Path store = folder.resolve("store");
        Outcome outcome =
                run("--texts", texts, "--text-encoder", "all-minilm-l6-v2", "--out", out, "--store", store, "--json");
        assertThat(outcome.error()).isEmpty();
        assertThat(outcome.json().path("width").asInt()).isEqualTo(384);
        String id = outcome.json().path("text_encoder").asText();
        assertThat(id).isEqualTo("all-minilm-l6-v2-fp32-ca46f1a8-mean-of-windows");
        assertThat(store.resolve(id + ".vectors")).exists();
        assertThat(embeddings(out, 2, 384)).isNotNull();
    }

    @Test
    void namesTheMissingFile() {
        Outcome outcome = run("--texts", folder.resolve("no.json"), "--out", folder.resolve("o"));
        assertThat(outcome.status()).isEqualTo(65);
        assertThat(outcome.error()).contains("no.json: no such file or folder");
    }

    @Test
    void refusesATargetThatCannotBeWritten() throws IOException {
        Path file = write("file", "");
        Outcome below = run("--texts", write("t.json", "[\"a\"]"), "--out", file.resolve("o.safetensors"));
        assertThat(below.status()).isEqualTo(69);
        assertThat(below.error()).contains("cannot write").contains("o.safetensors");
        Outcome folderItself = run("--texts", folder.resolve("t.json"), "--out", folder);
        assertThat(folderItself.status()).isEqualTo(69);
        assertThat(folderItself.error()).contains("cannot write").contains("name another file");
    }

    @Test
    void clipGivesEmbeddingsAndThePixelsTheyCameFrom() throws IOException {
        Path golden = TestFiles.golden("clip-vision");
        Path images = write("p.json", "[\"picture3.png\", \"picture5.png\", \"picture3.png\"]");
        Path out = folder.resolve("p.safetensors");
        Outcome outcome = run(
                "--image-paths",
                images,
                "--images",
                TestFiles.golden("images"),
                "--frame-encoder",
                "clip:" + golden,
                "--out",
                out,
                "--json");
        assertThat(outcome.error()).isEmpty();
        assertThat(outcome.json().path("width").asInt()).isEqualTo(16);
        assertThat(outcome.json().path("images_read_now").asInt()).isEqualTo(2);
        float[] rows = embeddings(out, 3, 16);
        try (SafeTensors expected = SafeTensors.open(golden.resolve("golden.safetensors"));
                SafeTensors written = SafeTensors.open(out)) {
            assertThat(written.metadata().get("encoder")).startsWith("clip-fp32-16-");
            assertThat(written.entry("pixel_values").shape()).containsExactly(3, 3, 64, 64);
            float[] pixels = written.floats("pixel_values");
            int size = 3 * 64 * 64;
            float[] wanted = Arrays.copyOfRange(expected.floats("pixel_values"), 3 * size, 4 * size);
            float[] embeds = expected.floats("embeds");
            double largest = IntStream.range(0, wanted.length)
                    .mapToDouble(i -> Math.abs(pixels[i] - wanted[i]))
                    .max()
                    .orElseThrow();
            assertThat(largest).isLessThan(1e-5);
            assertThat(Arrays.copyOf(rows, 16)).containsExactly(Arrays.copyOfRange(embeds, 48, 64), offset(1e-4f));
            assertThat(Arrays.copyOfRange(rows, 16, 32))
                    .containsExactly(Arrays.copyOfRange(embeds, 80, 96), offset(1e-4f));
            assertThat(Arrays.copyOfRange(rows, 32, 48)).isEqualTo(Arrays.copyOf(rows, 16));
        }
    }

    @Test
    void saysThatTheClipWeightsAreAbsent() throws IOException {
        Outcome outcome = run(
                "--image-paths",
                write("p.json", "[]"),
                "--frame-encoder",
                "clip:weights",
                "--out",
                folder.resolve("o"));
        assertThat(outcome.status()).isEqualTo(69);
        assertThat(outcome.error())
                .contains("weights of a vision encoder: weights does not exist")
                .contains("Hugging Face directory")
                .contains("frame-encoder ocr");
    }

    @Test
    void aDamagedFileIsKnownBeforeAnythingIsEncoded() throws IOException {
        String record = "{\"benchmark_metadata\":{\"id\":\"a\",\"difficulty_level\":1},\"reference_information\":"
                + "{\"profile\":\"学生\",\"phone\":\"静音\",\"world\":\"晴\",\"trace\":[\"打开地图\"]}}";
        Path data = write("cut.json", "[" + record + ",");
        Path store = folder.resolve("store");
        Outcome outcome = run("--data", data, "--store", store, "--int8");
        assertThat(outcome.status()).isEqualTo(65);
        assertThat(outcome.error()).contains("cut.json");
        String id = EncoderSpec.ofText(ShippedEncoders.DEFAULT).idOf(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS);
        try (EmbeddingStore<float[]> vectors = EmbeddingStore.ofVectors(store, id, 512)) {
            assertThat(vectors.size()).isZero();
        }
    }

    @Test
    void wrongUseIsUsage() throws IOException {
        Path texts = write("t.json", "[]");
        List<Outcome> outcomes = List.of(
                run("--texts", texts),
                run("--data", texts),
                run("--data", texts, "--texts", texts),
                run("--out", folder.resolve("o")),
                run("--texts", texts, "--out", folder.resolve("o"), "--threads", 0),
                run("--texts", texts, "--out", folder.resolve("o"), "--long-text", "ignore"),
                run("--image-paths", texts, "--out", folder.resolve("o"), "--frame-encoder", "vit"),
                run("--image-paths", texts, "--out", folder.resolve("o"), "--frame-encoder", "both:"),
                run("--texts", texts, "--out", folder.resolve("o"), "--frame-encoder", "clip:" + folder),
                run("--texts", texts, "--out", folder.resolve("o"), "--text-encoder", "bert"),
                run("--texts", texts, "--out", folder.resolve("o"), "--text-encoder", "e5-small-v2", "--int8"));
        assertThat(outcomes).extracting(Outcome::status).containsOnly(2);
        assertThat(outcomes.get(0).error()).contains("--out FILE");
        assertThat(outcomes.get(1).error()).contains("--store DIR");
        assertThat(outcomes.get(6).error())
                .contains("--frame-encoder = vit, must be ocr, clip:PATH, siglip:PATH, tower:PATH, both:PATH");
        assertThat(outcomes.get(9).error())
                .contains("--text-encoder = bert must be bge-small-zh-v1.5, bge-small-en-v1.5, e5-small-v2,"
                        + " all-minilm-l6-v2 or dir:PATH");
        assertThat(outcomes.get(10).error())
                .contains("8-bit weights: --text-encoder bge-small-zh-v1.5 or bge-small-en-v1.5");
        assertThat(outcomes.get(5).error()).contains("--long-text = ignore, must be truncate or mean-of-windows");
    }
}
