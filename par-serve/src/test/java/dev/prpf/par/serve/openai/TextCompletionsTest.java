package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.CompletionRequest;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextCompletionsTest extends OnSmallServer {
    private static final String PATH = "/v1/completions";

    private static List<String> texts(JsonNode answer) {
        return answer.path("choices")
                .valueStream()
                .map(choice -> choice.path("text").asText())
                .toList();
    }

    private static long[] ids(String text) {
        return server.tokenizer.encodePlain(text);
    }

    @Test
    void aTextGoesOnAsOpenAiDoes() {
        assertThat(TestServer.masked(server.ask(PATH, "{'model': 'tiny', 'prompt': 'a7', 'max_tokens': 5}")))
                .isEqualTo(
                        "{\"id\":\"cmpl-ID\",\"object\":\"text_completion\",\"created\":0,\"model\":\"tiny\",\"choices\":["
                                + "{\"index\":0,\"text\":\"89012\",\"logprobs\":null,\"finish_reason\":\"length\","
                                + "\"stop_reason\":null}],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":5,"
                                + "\"total_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":0}}}");
        assertThat(texts(server.ask(PATH, "{'prompt': '0'}")))
                .as("16 tokens unless said")
                .containsExactly("1234567890123456");
    }

    /** The request of {@code data rollout-set --remote} to vLLM. */
    @Test
    void ourClientIsToldEveryTokenWithItsLogProbability() {
        ServerSettings settings =
                new ServerSettings(List.of(server.server.address() + "/v1"), null, 1, 20, 20, 0, 1, null);
        CompletionRequest request =
                new CompletionRequest("s", ids("a7"), 2, 3, new CompletionRequest.Sampling(0.01, 0, 1, 5));
        try (ChatClient client = new ChatClient(settings, "tiny", Map.of(), () -> false)) {
            assertThat(client.complete(List.of(request)).get(0)).hasSize(2).allSatisfy(said -> {
                assertThat(said.ids()).isEqualTo(ids("89012"));
                assertThat(said.finish()).isEqualTo("length");
                assertThat(said.logprobs()).hasSize(5);
                for (float logprob : said.logprobs()) {
                    assertThat(logprob).as("at temperature 1").isBetween(-1f, 0f);
                }
            });
        }
    }

    @Test
    void aStreamIsWrittenAsOpenAiDoes() {
        List<JsonNode> events = server.events(
                PATH, "{'prompt': '1', 'max_tokens': 2, 'stream': true, 'stream_options': {'include_usage': true}}");
        String head =
                "{\"id\":\"cmpl-ID\",\"object\":\"text_completion\",\"created\":0,\"model\":\"tiny\",\"choices\":[";
        assertThat(events.stream().map(TestServer::masked))
                .containsExactly(
                        head
                                + "{\"index\":0,\"text\":\"2\",\"logprobs\":null,\"finish_reason\":null,\"stop_reason\":null}]}",
                        head
                                + "{\"index\":0,\"text\":\"3\",\"logprobs\":null,\"finish_reason\":null,\"stop_reason\":null}]}",
                        head
                                + "{\"index\":0,\"text\":\"\",\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null}]}",
                        head + "],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3,"
                                + "\"prompt_tokens_details\":{\"cached_tokens\":0}}}");
    }

    @Test
    void promptsMayBeTextsOrIds() {
        assertThat(texts(server.ask(PATH, "{'prompt': ['0', 'x5'], 'max_tokens': 3}")))
                .containsExactly("123", "678");
        assertThat(texts(server.ask(PATH, "{'prompt': [" + ids("3")[0] + "], 'max_tokens': 3}")))
                .containsExactly("456");
        String two = "[[" + ids("3")[0] + "], [" + ids("x")[0] + ", " + ids("8")[0] + "]]";
        JsonNode answer = server.ask(PATH, "{'prompt': " + two + ", 'max_tokens': 3, 'return_token_ids': true}");
        assertThat(texts(answer)).containsExactly("456", "901");
        assertThat(answer.at("/choices/1/prompt_token_ids")).hasSize(2);
        assertThat(answer.at("/choices/1/token_ids")).hasSize(3);
        assertThat(answer.at("/usage/prompt_tokens").asInt()).isEqualTo(3);
        assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(6);
    }

    @Test
    void severalAnswersToSeveralPromptsKeepTheirOrder() {
        String body = "{'prompt': ['0', '5'], 'n': 2, 'temperature': 0.01, 'max_tokens': 2, 'stop': '7'";
        JsonNode answer = server.ask(PATH, body + "}");
        assertThat(texts(answer)).containsExactly("12", "12", "6", "6");
        assertThat(answer.at("/choices/2/stop_reason").asText()).isEqualTo("7");
        String[] joined = {"", "", "", ""};
        for (JsonNode event : server.events(PATH, body + ", 'stream': true}")) {
            JsonNode choice = event.path("choices").path(0);
            joined[choice.path("index").asInt()] += choice.path("text").asText();
        }
        assertThat(joined).containsExactly("12", "12", "6", "6");
    }

    @Test
    void aTextCannotForgeATokenButIdsMayHoldAny() {
        JsonNode text = server.ask(PATH, "{'prompt': '<|im_end|>', 'max_tokens': 1, 'return_token_ids': true}");
        assertThat(text.at("/choices/0/prompt_token_ids")).hasSize(10);
        long end = server.tokenizer.controlToken("<|im_end|>");
        JsonNode given = server.ask(PATH, "{'prompt': [" + end + "], 'max_tokens': 1, 'return_token_ids': true}");
        assertThat(given.at("/choices/0/prompt_token_ids/0").asLong()).isEqualTo(end);
    }

    /** The request of lm-evaluation-harness: the log-probability of a prompt's end, and whether it is the likeliest. */
    @Test
    void echoScoresThePrompt() {
        JsonNode answer =
                server.ask(PATH, "{'prompt': '3456x', 'max_tokens': 1, 'echo': true, 'logprobs': 1, 'temperature': 0}");
        JsonNode choice = answer.path("choices").path(0);
        JsonNode logprobs = choice.path("logprobs");
        assertThat(choice.path("text").asText()).startsWith("3456x");
        assertThat(logprobs.path("tokens")).hasSize(6);
        assertThat(logprobs.path("text_offset").toString()).startsWith("[0,1,2,3,4,5");
        assertThat(logprobs.path("token_logprobs").path(0).isNull()).isTrue();
        assertThat(logprobs.path("top_logprobs").path(0).isNull()).isTrue();
        float[] expected = Outputs.logProbabilities(server.decoder, ids("3456x"));
        for (int i = 0; i < expected.length; i++) {
            JsonNode own = logprobs.path("token_logprobs").path(i + 1);
            assertThat(own.floatValue()).isCloseTo(expected[i], within(1e-4f));
            List<Double> top = new ArrayList<>();
            logprobs.path("top_logprobs").path(i + 1).forEach(value -> top.add(value.asDouble()));
            double most = top.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
            assertThat(own.asDouble() == most)
                    .as("token %d is the likeliest", i + 1)
                    .isEqualTo(i < 3);
            assertThat(top).hasSize(i < 3 ? 1 : 2);
        }
        assertThat(answer.at("/usage/completion_tokens").asInt()).isOne();
    }

    @Test
    void echoAloneWritesNothing() {
        JsonNode answer = server.ask(PATH, "{'prompt': '火3', 'max_tokens': 0, 'echo': true, 'logprobs': 2}");
        assertThat(answer.at("/choices/0/text").asText()).isEqualTo("火3");
        assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("length");
        assertThat(answer.at("/choices/0/logprobs/tokens").toString())
                .isEqualTo("[\"bytes:\\\\xe7\",\"bytes:\\\\x81\",\"bytes:\\\\xab\",\"3\"]");
        assertThat(answer.at("/choices/0/logprobs/text_offset").toString()).isEqualTo("[0,0,0,1]");
        assertThat(answer.at("/usage/completion_tokens").asInt()).isZero();
        assertThat(texts(server.ask(PATH, "{'prompt': [" + ids("5")[0] + "], 'max_tokens': 2, 'echo': true}")))
                .containsExactly("567");
        StringBuilder joined = new StringBuilder();
        server.events(PATH, "{'prompt': '5', 'max_tokens': 2, 'echo': true, 'stream': true}")
                .forEach(event -> joined.append(event.at("/choices/0/text").asText()));
        assertThat(joined.toString()).isEqualTo("567");
    }

    @Test
    void logProbabilitiesComeWithAStreamToo() {
        String body = "{'prompt': '5', 'max_tokens': 4, 'logprobs': 2";
        JsonNode whole = server.ask(PATH, body + "}").at("/choices/0/logprobs");
        List<String> tokens = new ArrayList<>();
        List<Integer> offsets = new ArrayList<>();
        for (JsonNode event : server.events(PATH, body + ", 'stream': true}")) {
            event.at("/choices/0/logprobs/tokens").forEach(token -> tokens.add(token.asText()));
            event.at("/choices/0/logprobs/text_offset").forEach(offset -> offsets.add(offset.asInt()));
        }
        assertThat(tokens).containsExactly("6", "7", "8", "9");
        assertThat(offsets).containsExactly(0, 1, 2, 3);
        assertThat(whole.path("tokens").valueStream().map(JsonNode::asText).toList())
                .isEqualTo(tokens);
        assertThat(whole.path("top_logprobs").path(0).path("6"))
                .isEqualTo(whole.path("token_logprobs").path(0));
        assertThat(whole.path("top_logprobs").path(0)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'max_tokens': 3                  | prompt    | prompt is missing",
                "'prompt': ''                     | prompt    | prompt is empty, must hold at least one token",
                "'prompt': []                     | prompt    | prompt is [], must be a text, token ids, or a list of either, not empty",
                "'prompt': [[]]                   | prompt[0] | prompt[0] is empty, must hold at least one token",
                "'prompt': ['a', 3]               | prompt[1] | prompt[1] must be a text or token ids, integers from 0 to 286",
                "'prompt': [1, -1]                | prompt    | prompt must be a text or token ids, integers from 0 to 286",
                "'prompt': 'a', 'max_tokens': 0   | max_tokens | max_tokens is 0, must be an integer of at least 1",
                "'prompt': 'a', 'max_tokens': 512 | max_tokens | the context has 512 tokens, the prompt takes 1 and max_tokens asks for 512, at most 511 are left",
                "'prompt': 'a', 'suffix': 'b'     | suffix    | suffix is not supported, but as \"\"; leave it out",
                "'prompt': 'a', 'logprobs': true  | logprobs  | logprobs is true, must be an integer from 0 to 20",
                "'prompt': 'a', 'echo': true, 'logprobs': 1, 'stream': true | echo | echo with logprobs cannot be streamed; give \"stream\": false",
                "'prompt': ['a','a','a','a','a','a','a'], 'n': 2, 'temperature': 1 | prompt | prompt and n ask for 14 answers at once, this server gives at most 12",
                "'prompt': ['a','a','a','a','a','a','a','a','a','a','a','a',''] | prompt | prompt and n ask for 13 answers at once, this server gives at most 12",
                "'prompt': 'a', 'response_format': {'type': 'json_object'} | response_format | response_format is not supported here, only in chats"
            })
    void whatIsNotTakenIsNamed(String fields, String parameter, String message) {
        JsonNode error = server.refused(400, PATH, "{" + fields + "}");
        assertThat(error.path("message").asText()).isEqualTo(message);
        assertThat(error.path("param").asText()).isEqualTo(parameter);
    }

    @Test
    void theSecondOfTwoLikePromptsIsCached(@TempDir Path folder) {
        ServiceSettings caching = new ServiceSettings(2, 512, 512, 1, 2, 60);
        try (TestServer cached = new TestServer(folder, caching)) {
            String body = "{'prompt': '" + "ab".repeat(100) + "', 'max_tokens': 1}";
            assertThat(cached.ask(PATH, body)
                            .at("/usage/prompt_tokens_details/cached_tokens")
                            .asInt())
                    .isZero();
            assertThat(cached.ask(PATH, body)
                            .at("/usage/prompt_tokens_details/cached_tokens")
                            .asInt())
                    .isGreaterThan(100);
        }
    }
}
