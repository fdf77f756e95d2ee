package dev.prpf.par.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.ChatRequest.SentImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A recorded exchange with images: what arrives at a server, and what one answers that does not see. */
class SentImagesTest {
    @TempDir
    private Path folder;

    private RecordedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new RecordedServer().talking(text -> "seen");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ChatClient client() {
        ServerSettings reached = new ServerSettings(List.of(server.baseUrl()), null, 2, 5, 20, 2, 1, null);
        return new ChatClient(reached, "qwen", Map.of(), () -> false);
    }

    private static ChatPart text(String text) {
        return new ChatPart.Text(text);
    }

    private static ChatPart image(Path file, @Nullable Integer maxTokens) {
        return new ChatPart.Image(new SentImage(ImageFile.of(file), maxTokens));
    }

    private static ChatRequest request(ChatPart... parts) {
        SamplingSettings sampling = new SamplingSettings(0, 1, 64, 5L, JsonNodeFactory.instance.objectNode());
        return new ChatRequest("s", ChatRequest.Turn.prompt("S", List.of(parts)), sampling, null);
    }

    private JsonNode sent(ChatPart... parts) {
        try (ChatClient client = client()) {
            client.ask(List.of(request(parts)), (index, outcome) -> assertThat(outcome)
                    .isEqualTo(new ChatOutcome.Answer("seen", "stop", 11, 7)));
        }
        return server.bodies().get(server.bodies().size() - 1).at("/messages/1/content");
    }

    @Test
    void imagesAreBetweenTheTextsUnchanged() throws IOException {
        Path first = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        Path second = DrawnImages.draw(folder.resolve("b.jpg"), 64, 40, 2);
        JsonNode content = sent(text("one "), text("two"), image(first, null), image(second, null), text("end"));
        assertThat(DrawnImages.parts(content)).containsExactly("one two", "<image>", "<image>", "end");
        assertThat(DrawnImages.bytes(content)).containsExactly(Files.readAllBytes(first), Files.readAllBytes(second));
        assertThat(content.at("/1/image_url/url").asText()).startsWith("data:image/png;base64,");
        assertThat(content.at("/2/image_url/url").asText()).startsWith("data:image/jpeg;base64,");
    }

    @Test
    void messageWithoutImagesIsAString() {
        assertThat(sent(text("a"), text(""), text("b"))).isEqualTo(JsonNodeFactory.instance.textNode("ab"));
    }

    @Test
    void anotherFormatBecomesPngWithTheSamePixels() throws IOException {
        Path bitmap = DrawnImages.draw(folder.resolve("a.bmp"), 33, 21, 3);
        byte[] arrived = DrawnImages.bytes(sent(image(bitmap, null))).get(0);
        assertThat(new String(arrived, 1, 3, StandardCharsets.US_ASCII)).isEqualTo("PNG");
        assertThat(Pixels.read(arrived).rgb()).isEqualTo(Pixels.read(bitmap).rgb());
    }

    /** Servers need not heed EXIF. */
    @ParameterizedTest
    @CsvSource({"3, 64, 40", "6, 40, 64"})
    void anImageThatIsStoredTurnedIsSentUpright(int orientation, int width, int height) throws IOException {
        byte[] drawn = Files.readAllBytes(DrawnImages.draw(folder.resolve("a.jpg"), 64, 40, 2));
        Path file = Files.write(folder.resolve("turned.jpg"), DrawnImages.turned(drawn, orientation));
        JsonNode content = sent(image(file, null), image(file, 50));
        assertThat(DrawnImages.sizes(content)).containsOnly(new Pixels.Size(width, height));
        for (byte[] arrived : DrawnImages.bytes(content)) {
            assertThat(Pixels.read(arrived).rgb()).isEqualTo(Pixels.read(file).rgb());
            assertThat(Pixels.read(arrived).rgb())
                    .isNotEqualTo(Pixels.read(drawn).rgb());
        }
    }

    @Test
    void budgetReducesOnlyTooLargeImages() throws IOException {
        Path small = DrawnImages.draw(folder.resolve("a.png"), 64, 96, 1);
        Path large = DrawnImages.draw(folder.resolve("b.png"), 270, 600, 1);
        JsonNode content = sent(image(small, 50), image(large, 50));
        assertThat(DrawnImages.bytes(content).get(0)).isEqualTo(Files.readAllBytes(small));
        Pixels.Size size = DrawnImages.sizes(content).get(1);
        assertThat(size).isEqualTo(new Pixels.Size(128, 320));
        assertThat(size.pixels() / (32 * 32)).isLessThanOrEqualTo(50);
    }

    @Test
    void journalKeysIncludeImageContentAndBudget() throws IOException {
        Path file = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        Path copy = Files.copy(file, folder.resolve("copy.png"));
        try (ChatClient client = client();
                AnswerJournal journal = new AnswerJournal(folder.resolve("answers.jsonl"))) {
            ChatRequest request = request(image(file, null));
            journal.ask(client, List.of(request, request(image(copy, null))), () -> {});
            assertThat(server.bodies()).hasSize(1);
            assertThat(journal.has(client, request)).isTrue();
            assertThat(journal.has(client, request(image(file, 4)))).isFalse();
            DrawnImages.draw(file, 40, 64, 2);
            assertThat(journal.has(client, request)).isFalse();
        }
        assertThat(folder.resolve("answers.jsonl")).content().doesNotContain("base64");
        assertThat(request(text("t")).identity("m"))
                .isEqualTo(request(text("t")).body("m").toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anImageThatIsMissingOrNoneIsSaidWithItsFile(int broken) throws IOException {
        Path file = folder.resolve("a.png");
        if (broken == 1) {
            Files.writeString(file, "no image");
        }
        assertFails(ExitCode.BAD_DATA, image(file, 4), "a.png");
        assertThat(server.bodies()).isEmpty();
    }

    @Test
    void undecodableImageIsNotSent() throws IOException {
        Path file = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        assertFails(ExitCode.BAD_DATA, image(file, null), "a.png");
        assertThat(server.bodies()).isEmpty();
    }

    private void assertFails(ExitCode code, ChatPart part, String... words) {
        try (ChatClient client = client()) {
            assertThatThrownBy(() -> client.ask(List.of(request(part)), (index, outcome) -> {}))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                    .hasMessageContainingAll(words);
        }
    }

    /** The messages are those of vLLM 0.11, SGLang 0.5.23, llama.cpp, OpenAI and others. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | m is not a multimodal model",
                "400 | At most 0 image(s) may be provided in one prompt.",
                "400 | Model only supports text input; received unsupported content type 'image_url'.",
                "400 | Multimodal inputs are not supported when --language-model-only is set; the encoder is not loaded.",
                "500 | image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                "400 | Invalid content type. image_url is only supported by certain models.",
                "404 | No endpoints found that support image input",
                "415 | This model does not support images",
                "422 | Failed to deserialize: messages[0]: unknown variant `image_url`, expected `text`",
            })
    void textServerIsNotRetriedAndTheSettingIsNamed(int status, String words) throws IOException {
        server.record(RecordedServer.json(
                status,
                JsonNodeFactory.instance
                        .objectNode()
                        .set("error", JsonNodeFactory.instance.objectNode().put("message", words))
                        .toString()));
        Path file = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        assertFails(
                ExitCode.BAD_CONFIG,
                image(file, null),
                "takes no images",
                "the request holds 1:",
                "set screenshots to ocr");
        assertThat(server.bodies()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "At most 2 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase this limit.",
                "Image count 3 exceeds limit 2 per request."
            })
    void aServerForFewerImagesNamesTheSetting(String words) throws IOException {
        server.record(RecordedServer.json(400, "{\"error\":{\"message\":\"" + words + "\"}}"));
        Path file = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        assertFails(ExitCode.BAD_CONFIG, image(file, null), "set max-screenshots lower");
        assertThat(server.bodies()).hasSize(1);
    }

    @Test
    void otherRejectionsOfImagesSuggestASolution() throws IOException {
        String error = "{\"error\":{\"message\":\"cannot identify image file\"}}";
        server.record(RecordedServer.json(400, error), RecordedServer.json(400, error));
        Path file = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        assertThat(refusal(image(file, null))).contains("cannot identify", "max-visual-tokens");
        assertThat(refusal(text("t"))).contains("cannot identify").doesNotContain("max-visual-tokens");
    }

    private String refusal(ChatPart part) {
        List<ChatOutcome> outcomes = new ArrayList<>();
        try (ChatClient client = client()) {
            client.ask(List.of(request(part)), (index, outcome) -> outcomes.add(outcome));
        }
        assertThat(outcomes).singleElement().isInstanceOf(ChatOutcome.Refused.class);
        return ((ChatOutcome.Refused) outcomes.get(0)).reason();
    }

    @Test
    void busyServerIsRetriedWithTheSameImages() throws IOException {
        server.record(RecordedServer.json(503, "{\"error\":{\"message\":\"loading\"}}"));
        Path file = DrawnImages.draw(folder.resolve("a.png"), 40, 64, 1);
        assertThat(DrawnImages.bytes(sent(image(file, null)))).containsExactly(Files.readAllBytes(file));
        assertThat(server.bodies()).hasSize(2);
        assertThat(server.bodies().get(0)).isEqualTo(server.bodies().get(1));
    }
}
