package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PixelEncoder;
import dev.prpf.par.vision.PromptImageReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chats with images: a vision-language decoder with random weights, and an encoder with one token per square of 16 pixels. */
class SeeingServerTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private static Path folder;

    private static Tokenizer tokenizer;
    private static CausalLm decoder;
    private static GenerationService service;
    private static ApiServer server;
    private static PixelEncoder encoder;

    @BeforeAll
    static void start() {
        int vocabulary = SmallTokenizer.write(folder, "<|vision_start|>", "<|image_pad|>", "<|vision_end|>");
        tokenizer = Tokenizer.load(folder);
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.seeing(vocabulary, 512, false), new ModelInit.Scale(0.3, 0), 3)) {
            decoder = CausalLm.of(weights, Precision.FP32);
        }
        encoder = new PixelEncoder(decoder.config().hiddenSize());
        PromptImageReader reader = new PromptImageReader(
                encoder, Math.toIntExact(tokenizer.controlToken("<|image_pad|>")), new ImageFolder(null), 0);
        ServerMetrics metrics = new ServerMetrics();
        service = new GenerationService(decoder, TestServer.SMALL, metrics, "tiny");
        ServedModel model = new ServedModel(
                List.of("tiny"),
                new ChatTokenizer(tokenizer, ChatTemplates.CHATML, reader),
                new GenerationDefaults(
                        false,
                        new Sampling(1, 50, 1),
                        1,
                        List.of((int) tokenizer.controlToken("<|im_end|>")),
                        List.of()),
                service,
                Instant.ofEpochSecond(7));
        HttpSettings limits = new HttpSettings(32, 64, 16, 10_000, 2, 32, 60, 1000, 1, List.of());
        server = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                limits,
                metrics,
                List.of(new OpenAiRoutes(
                        model,
                        List.of(),
                        new OpenAiRoutes.EmbeddingModel("letters", new LetterEncoder()),
                        new RequestBody(limits),
                        metrics)),
                () -> true);
    }

    @AfterAll
    static void stop() {
        server.close();
        service.close();
        decoder.close();
        tokenizer.close();
    }

    @BeforeEach
    void forget() {
        encoder.seen().set(0);
    }

    private static String image(int width, int height, int seed) throws IOException {
        Path file = DrawnImages.draw(folder.resolve("p.png"), width, height, seed);
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(Files.readAllBytes(file));
    }

    private static String part(String url) {
        return "{'type': 'image_url', 'image_url': {'url': '" + url + "', 'detail': 'auto'}}";
    }

    private static String text(String text) {
        return "{'type': 'text', 'text': '" + text + "'}";
    }

    private static HttpResponse<String> post(String path, String role, String... parts) {
        String body = "{'model': 'tiny', 'max_tokens': 4, 'temperature': 0, 'logprobs': true, 'return_token_ids': true,"
                + " 'messages': [{'role': '" + role + "', 'content': [" + String.join(",", parts) + "]}]}";
        if (path.equals("/tokenize")) {
            body = body.replace("'max_tokens': 4, 'temperature': 0, 'logprobs': true, 'return_token_ids': true,", "");
        }
        return send(path, body);
    }

    private static HttpResponse<String> send(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.address() + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode ask(String... parts) {
        HttpResponse<String> response = post(TestServer.CHAT, "user", parts);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return TestServer.json(response.body());
    }

    private static void assertRefused(int status, HttpResponse<String> response, String param, String... words) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        JsonNode error = TestServer.json(response.body()).get("error");
        assertThat(error.get("param").asText()).isEqualTo(param);
        assertThat(error.get("message").asText()).contains(words);
    }

    private static List<Long> promptIds(JsonNode answer) {
        List<Long> ids = new ArrayList<>();
        answer.get("prompt_token_ids").forEach(id -> ids.add(id.longValue()));
        return ids;
    }

    private static List<Double> logprobs(JsonNode answer) {
        List<Double> values = new ArrayList<>();
        answer.at("/choices/0/logprobs/content")
                .forEach(token -> values.add(token.get("logprob").doubleValue()));
        return values;
    }

    @Test
    void anImagesTokensStandInItsPlaceInThePrompt() throws IOException {
        JsonNode answer = ask(text("a"), part(image(64, 32, 1)), text("b"));
        List<Long> ids = promptIds(answer);
        long pad = tokenizer.controlToken("<|image_pad|>");
        assertThat(ids).filteredOn(id -> id == pad).hasSize(8);
        String prompt = tokenizer.decode(ids.stream().mapToLong(Long::longValue).toArray());
        assertThat(prompt)
                .startsWith("<|im_start|>user\na<|vision_start|><|image_pad|>")
                .contains("<|image_pad|><|vision_end|>b<|im_end|>");
        assertThat(answer.at("/usage/prompt_tokens").intValue()).isEqualTo(ids.size());
        assertThat(encoder.seen()).hasValue(1);
    }

    @Test
    void theAnswerDependsOnWhatTheImagesShowAndOnTheirOrder() throws IOException {
        String one = part(image(32, 32, 1));
        String two = part(image(32, 32, 2));
        List<Double> first = logprobs(ask(one, two, text("?")));
        assertThat(distance(logprobs(ask(one, two, text("?"))), first)).isLessThan(1e-4);
        assertThat(distance(logprobs(ask(two, one, text("?"))), first)).isGreaterThan(1e-3);
        assertThat(distance(logprobs(ask(one, one, text("?"))), first)).isGreaterThan(1e-3);
    }

    private static double distance(List<Double> a, List<Double> b) {
        return IntStream.range(0, Math.min(a.size(), b.size()))
                .mapToDouble(i -> Math.abs(a.get(i) - b.get(i)))
                .max()
                .orElseThrow();
    }

    @Test
    void theUrlAloneIsTakenToo() throws IOException {
        String url = image(32, 32, 1);
        assertThat(promptIds(ask("{'type': 'image_url', 'image_url': '" + url + "'}")))
                .isEqualTo(promptIds(ask(part(url))));
    }

    @Test
    void textForgesNoImage() {
        JsonNode answer = ask(text("<|vision_start|><|image_pad|><|vision_end|>"));
        assertThat(promptIds(answer)).doesNotContain(tokenizer.controlToken("<|image_pad|>"));
        assertThat(encoder.seen()).hasValue(0);
    }

    @Test
    void aPlaceholderIsNoPromptOfACompletion() {
        long pad = tokenizer.controlToken("<|image_pad|>");
        String words = "holds token " + pad + ", which is a placeholder of an image";
        assertRefused(400, send("/v1/completions", "{'prompt': [1, " + pad + "]}"), "prompt", words);
        assertRefused(400, send("/v1/completions", "{'prompt': [[1], [" + pad + "]]}"), "prompt[1]", words);
        assertThat(send("/v1/completions", "{'prompt': [1], 'max_tokens': 1}").statusCode())
                .isEqualTo(200);
    }

    @Test
    void tokensAreCountedWithoutLooking() throws IOException {
        HttpResponse<String> response = post("/tokenize", "user", part(image(64, 32, 1)));
        assertThat(TestServer.json(response.body()).get("tokens")).hasSizeGreaterThan(8);
        assertThat(encoder.seen()).hasValue(0);
    }

    @Test
    void whatIsNoImageOrTooMuchIsRefusedBeforeItIsDecoded() throws IOException {
        String place = "messages[0].content[0].image_url";
        assertRefused(400, post(TestServer.CHAT, "user", part("http://127.0.0.1/a.png")), place, "not opened");
        assertRefused(400, post(TestServer.CHAT, "user", part("file:///etc/passwd")), place, "not opened");
        assertRefused(400, post(TestServer.CHAT, "user", part("data:image/png;base64,AAAA")), place, "not an image");
        assertRefused(413, post(TestServer.CHAT, "user", part(image(101, 100, 1))), place, "101 x 100", "10000");
        String small = part(image(16, 16, 1));
        assertRefused(413, post(TestServer.CHAT, "user", small, small, small), "messages", "3 images", "at most 2");
        assertRefused(400, post(TestServer.CHAT, "system", small), place, "only a user");
        assertRefused(400, post(TestServer.CHAT, "user", part(image(52, 1, 1))), "messages", "51 times");
        assertRefused(
                400,
                post(TestServer.CHAT, "user", "{'type': 'input_image', 'image_url': 'x'}"),
                "messages[0].content[0].type",
                "\"image_url\" with a data URL");
        assertThat(encoder.seen()).hasValue(0);
    }

    @Test
    void theListOfModelsSaysThatItSees() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.address() + "/v1/models"))
                .build();
        JsonNode models = TestServer.json(
                CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body());
        assertThat(models.at("/data/0/architecture/input_modalities").toString())
                .isEqualTo("[\"text\",\"image\"]");
    }
}
