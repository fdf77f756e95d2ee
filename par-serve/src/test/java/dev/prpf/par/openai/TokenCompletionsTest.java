package dev.prpf.par.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.http.Retrier;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenCompletionsTest {
    private static final CompletionRequest REQUEST =
            new CompletionRequest("s", new long[] {5, 9, 2}, 2, 77, new CompletionRequest.Sampling(1, 0, 0.9, 32));

    private final List<Duration> waits = new ArrayList<>();
    private RecordedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new RecordedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private List<List<CompletionRequest.Continuation>> ask(CompletionRequest... requests) {
        ServerSettings settings = new ServerSettings(List.of(server.baseUrl()), null, 2, 20, 20, 1, 60, null);
        Retrier.Policy policy = new Retrier.Policy(1, Duration.ofSeconds(1), Duration.ofMinutes(1));
        ChatClient.Pace pace = new ChatClient.Pace(policy, new Retrier(policy, waits::add), System::nanoTime);
        try (ChatClient client = new ChatClient(settings, "policy", Map.of(), () -> false, pace)) {
            return client.complete(List.of(requests));
        }
    }

    /** Returns an answer like vLLM 0.11 with {@code return_token_ids}. */
    private static String choice(String ids, String logprobs, String finish) {
        return "{\"index\":0,\"text\":\"…\",\"logprobs\":{\"text_offset\":[0],\"token_logprobs\":" + logprobs
                + ",\"tokens\":[],\"top_logprobs\":[]},\"finish_reason\":\"" + finish
                + "\",\"stop_reason\":null,\"token_ids\":" + ids
                + ",\"prompt_logprobs\":null,\"prompt_token_ids\":[5,9,2]}";
    }

    private static RecordedServer.Reply answer(String... choices) {
        return RecordedServer.json(
                200,
                "{\"object\":\"text_completion\",\"choices\":[" + String.join(",", choices)
                        + "],\"usage\":{\"prompt_tokens\":3}}");
    }

    private void assertFails(ExitCode code, String... words) {
        assertThatThrownBy(() -> ask(REQUEST))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(words);
    }

    @Test
    void everyTokenHasItsLogProbability() {
        server.record(answer(choice("[7,1]", "[-0.25,-3]", "stop"), choice("[8]", "[0.0000001]", "length")));
        List<CompletionRequest.Continuation> said = ask(REQUEST).get(0);
        assertThat(said).hasSize(2);
        assertThat(said.get(0).ids()).containsExactly(7, 1);
        assertThat(said.get(0).logprobs()).containsExactly(-0.25f, -3);
        assertThat(said.get(0).finish()).isEqualTo("stop");
        assertThat(said.get(1).ids()).containsExactly(8);
        assertThat(said.get(1).logprobs()).as("rounding").containsExactly(0);
        assertThat(said.get(1).finish()).isEqualTo("length");
    }

    @Test
    void allThatDecidesIsSent() throws IOException {
        server.record(answer(choice("[1]", "[0]", "stop"), choice("[1]", "[0]", "stop")));
        ask(REQUEST);
        assertThat(server.bodies())
                .containsExactly(new ObjectMapper()
                        .readTree("{\"model\":\"policy\",\"prompt\":[5,9,2],\"n\":2,\"seed\":77,\"temperature\":1.0,"
                                + "\"top_k\":0,\"top_p\":0.9,\"max_tokens\":32,\"min_p\":0.0,\"repetition_penalty\":1.0,"
                                + "\"logprobs\":0,\"return_token_ids\":true,\"stream\":false}"));
    }

    @Test
    void answersHaveTheOrderOfTheirRequests() {
        server.continuing(body -> {
            String id = body.path("prompt").path(0).asText();
            return RecordedServer.json(
                    200,
                    "{\"choices\":[{\"finish_reason\":\"length\",\"token_ids\":[" + id
                            + "],\"logprobs\":{\"token_logprobs\":[-1]}}]}");
        });
        CompletionRequest[] requests = IntStream.range(0, 20)
                .mapToObj(i -> new CompletionRequest("s" + i, new long[] {i}, 1, i, REQUEST.sampling()))
                .toArray(CompletionRequest[]::new);
        assertThat(ask(requests).stream().map(said -> said.get(0).ids()[0]))
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> (long) i).toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"choices\":[]} | no choices",
                "{\"choices\":[{\"finish_reason\":\"stop\"}]} | has 1 choices, must be 2",
                "{\"choices\":[{\"finish_reason\":\"abort\"},{}]} | finish_reason \"abort\""
            })
    void anAnswerThatIsNoneIsAskedForAgain(String body, String words) {
        server.record(RecordedServer.json(200, body), RecordedServer.json(200, body));
        assertFails(ExitCode.UNAVAILABLE, "sample s after 2 attempts", words);
        assertThat(waits).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"finish_reason\":\"stop\",\"logprobs\":{\"token_logprobs\":[-1]}}",
                "{\"finish_reason\":\"stop\",\"token_ids\":[1],\"logprobs\":null}",
                "{\"finish_reason\":\"stop\",\"token_ids\":[1,2],\"logprobs\":{\"token_logprobs\":[-1]}}",
                "{\"finish_reason\":\"stop\",\"token_ids\":[1],\"logprobs\":{\"token_logprobs\":[null]}}",
                "{\"finish_reason\":\"stop\",\"token_ids\":[\"a\"],\"logprobs\":{\"token_logprobs\":[-1]}}",
                "{\"finish_reason\":\"stop\",\"token_ids\":[],\"logprobs\":{\"token_logprobs\":[]}}"
            })
    void aServerThatTellsNoTokensIsRefused(String choice) {
        server.record(answer(choice, choice));
        assertFails(ExitCode.BAD_CONFIG, "sample s: the answer has", "both for each token", "vLLM from 0.10.2 on");
    }

    @Test
    void serverWithAnotherPromptIsRejected() {
        String other = choice("[1]", "[-1]", "stop").replace("[5,9,2]", "[1,5,9,2]");
        server.record(answer(other, other));
        assertFails(ExitCode.BAD_CONFIG, "sample s: the server read another prompt than the 3 tokens it was sent");
    }

    @Test
    void tooLongPromptIsBadConfiguration() {
        server.record(RecordedServer.json(
                400, "{\"error\":{\"message\":\"This model's maximum context length is 16 tokens\"}}"));
        assertFails(
                ExitCode.BAD_CONFIG,
                "sample s: prompt (3 tokens) and sampling.max-new-tokens = 32 do not fit the server's context",
                "maximum context length is 16",
                "--max-model-len");
    }
}
