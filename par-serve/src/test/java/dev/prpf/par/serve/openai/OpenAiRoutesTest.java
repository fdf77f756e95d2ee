package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.ServerMetrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenAiRoutesTest extends OnSmallServer {
    private static final String ARCHITECTURE =
            ",\"architecture\":{\"input_modalities\":[\"text\"],\"output_modalities\":[\"text\"]}";

    @Test
    void modelsAreListedByEachOfTheirNames() {
        assertThat(TestServer.masked(TestServer.json(server.get("/v1/models").body())))
                .isEqualTo("{\"object\":\"list\",\"data\":["
                        + "{\"id\":\"tiny\",\"object\":\"model\",\"created\":0,\"owned_by\":\"prpf\",\"root\":\"tiny\",\"max_model_len\":512"
                        + ARCHITECTURE + "},"
                        + "{\"id\":\"alias\",\"object\":\"model\",\"created\":0,\"owned_by\":\"prpf\",\"root\":\"tiny\",\"max_model_len\":512"
                        + ARCHITECTURE + "},"
                        + "{\"id\":\"letters\",\"object\":\"model\",\"created\":0,\"owned_by\":\"prpf\"}]}");
        JsonNode one = TestServer.json(server.get("/v1/models/tiny").body());
        assertThat(one.path("id").asText()).isEqualTo("tiny");
        assertThat(one.path("created").asLong()).isEqualTo(7);
        assertThat(server.get("/v1/models/Qwen/Qwen3-0.6B").body())
                .contains("the model \\\"Qwen/Qwen3-0.6B\\\" is not served here");
        assertThat(server.get("/v1/models/Qwen%2FQwen3-0.6B").body())
                .as("as OpenAI's clients ask for it")
                .contains("the model \\\"Qwen/Qwen3-0.6B\\\" is not served here");
        assertThat(server.get("//v1/models").statusCode()).isEqualTo(404);
        assertThat(server.server.routes()).contains("GET /v1/models/{id}");
        HttpResponse<String> none = server.get("/v1/models/other");
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(none.body()).contains("the model \\\"other\\\" is not served here", "model_not_found");
    }

    @Test
    void textsAreTokenizedAsVllmDoes() {
        assertThat(server.ask("/tokenize", "{'model': 'tiny', 'prompt': 'a好', 'return_token_strs': true}")
                        .toString())
                .isEqualTo(
                        "{\"count\":4,\"max_model_len\":512,\"tokens\":[97,229,165,189],\"token_strs\":[\"a\",\"\uFFFD\","
                                + "\"\uFFFD\",\"\uFFFD\"]}");
        assertThat(server.ask("/tokenize", "{'prompt': ''}").toString())
                .isEqualTo("{\"count\":0,\"max_model_len\":512,\"tokens\":[]}");
        assertThat(server.ask("/detokenize", "{'tokens': [97, 229, 165, 189]}").toString())
                .isEqualTo("{\"prompt\":\"a好\"}");
        HttpResponse<String> tooLong = server.post("/tokenize", "{'prompt': '" + "a".repeat(16 * 513) + "'}");
        assertThat(tooLong.statusCode()).isEqualTo(400);
        assertThat(tooLong.body())
                .contains(
                        "the context has 512 tokens, the prompt has 8208 characters, more than 16 a token; send a shorter one");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/tokenize   | {}                                       | one of prompt and messages must be given",
                "/tokenize   | {'prompt': 'a', 'messages': []}          | one of prompt and messages must be given",
                "/tokenize   | {'prompt': 'a', 'chat_template': 'x'}    | chat_template is not supported: the model has its own",
                "/detokenize | {}                                       | tokens is missing",
                "/detokenize | {'tokens': [1.5]}                        | tokens holds what is no token: they are integers from 0 to 286",
                "/v1/embeddings | {'model': 'letters'}                  | input is missing",
                "/v1/embeddings | {'model': 'letters', 'input': []} | input must be a text, an array of token ids, or an array of 1 to 512 of either, none empty",
                "/v1/embeddings | {'model': 'letters', 'input': [[]]} | input must be a text, an array of token ids, or an array of 1 to 512 of either, none empty",
                "/v1/embeddings | {'model': 'letters', 'input': ['a', [1]]} | input must be a text, an array of token ids, or an array of 1 to 512 of either, none empty",
                "/v1/embeddings | {'model': 'letters', 'input': [1, 'a']} | input must be a text, an array of token ids, or an array of 1 to 512 of either, none empty",
                "/v1/embeddings | {'model': 'letters', 'input': [[1], []]} | input must be a text, an array of token ids, or an array of 1 to 512 of either, none empty",
                "/v1/embeddings | {'model': 'letters', 'input': ['']} | input must be a text, an array of token ids, or an array of 1 to 512 of either, none empty",
                "/v1/embeddings | {'model': 'letters', 'input': [1, 26]} | input must be a text or token ids, integers from 0 to 25",
                "/v1/embeddings | {'model': 'letters', 'input': [[1], [-1]]} | input must be a text or token ids, integers from 0 to 25",
                "/v1/embeddings | {'model': 'letters', 'input': [1.5]} | input must be a text or token ids, integers from 0 to 25",
                "/v1/embeddings | {'model': 'letters', 'input': [99999999999999999999]} | input must be a text or token ids, integers from 0 to 25",
                "/v1/embeddings | {'model': 'letters', 'input': [[[1]]]} | input must be a text or token ids, integers from 0 to 25",
                "/v1/embeddings | {'model': 'letters', 'input': 'a', 'dimensions': 3} | dimensions is 3, must be 2",
                "/v1/embeddings | {'model': 'letters', 'input': 'a', 'encoding_format': 'int8'} | encoding_format is \"int8\", must be one of [float, base64]",
                "/v1/embeddings | {'input': 'a'}                        | model is missing"
            })
    void whatIsNotTakenIsNamed(String path, String body, String message) {
        assertThat(server.refused(400, path, body).path("message").asText()).isEqualTo(message);
    }

    @Test
    void idsOfOneTextOrSeveralAreEmbeddedAsTheirTextIs() {
        assertThat(server.ask("/v1/embeddings", "{'model': 'letters', 'input': [0, 0, 1]}"))
                .isEqualTo(server.ask("/v1/embeddings", "{'model': 'letters', 'input': 'aab'}"));
        assertThat(server.ask("/v1/embeddings", "{'model': 'letters', 'input': [[0, 0, 1], [1]]}"))
                .isEqualTo(server.ask("/v1/embeddings", "{'model': 'letters', 'input': ['aab', 'b']}"));
    }

    @Test
    void embeddingsComeAsNumbersOrPacked() {
        assertThat(server.ask("/v1/embeddings", "{'model': 'letters', 'input': ['aab', 'b'], 'dimensions': 2}")
                        .toString())
                .isEqualTo(
                        "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[2.0,1.0]},"
                                + "{\"object\":\"embedding\",\"index\":1,\"embedding\":[0.0,1.0]}],\"model\":\"letters\","
                                + "\"usage\":{\"prompt_tokens\":4,\"total_tokens\":4}}");
        String packed = server.ask(
                        "/v1/embeddings", "{'model': 'letters', 'input': 'aab', 'encoding_format': 'base64'}")
                .at("/data/0/embedding")
                .asText();
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(packed)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.getFloat()).isEqualTo(2);
        assertThat(bytes.getFloat()).isEqualTo(1);
        JsonNode other = server.refused(404, "/v1/embeddings", "{'model': 'tiny', 'input': 'a'}");
        assertThat(other.path("message").asText()).isEqualTo("no encoder \"tiny\" is served here; there are [letters]");
    }

    @Test
    void partsThatWereNotLoadedAreUnavailable() throws IOException, InterruptedException {
        ServerMetrics metrics = new ServerMetrics();
        OpenAiRoutes none = new OpenAiRoutes(
                null,
                List.of(),
                new OpenAiRoutes.EmbeddingModel("letters", new LetterEncoder()),
                new RequestBody(ServeConfig.DEFAULT.http()),
                metrics);
        try (ApiServer bare = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                ServeConfig.DEFAULT.http(),
                metrics,
                List.of(none),
                () -> true)) {
            for (String path : List.of("/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize")) {
                assertThat(post(bare, path)).contains("503", "this server was started without a reasoner");
            }
        }
    }

    private static String post(ApiServer bare, String path) throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(bare.address() + path))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }
}
