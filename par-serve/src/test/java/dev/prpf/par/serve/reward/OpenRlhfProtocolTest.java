package dev.prpf.par.serve.reward;

import static dev.prpf.par.serve.reward.RewardFixture.ACTING;
import static dev.prpf.par.serve.reward.RewardFixture.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /get_reward}, with requests that OpenRLHF's own code sent (src/test/python/record_openrlhf.py). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenRlhfProtocolTest {
    private static final String PATH = "/get_reward";
    private static final String PROMPT = "<|im_start|>user\nwas?<|im_end|>\n<|im_start|>assistant\n";

    private final RewardFixture server = new RewardFixture();

    @AfterAll
    void stop() {
        server.close();
    }

    private static JsonNode recorded(String version) throws IOException {
        try (InputStream in = Objects.requireNonNull(
                OpenRlhfProtocolTest.class.getResourceAsStream("openrlhf-" + version + ".json"))) {
            return RewardFixture.json(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<Double> numbers(JsonNode list) {
        List<Double> numbers = new ArrayList<>();
        list.forEach(number -> numbers.add(number.doubleValue()));
        return numbers;
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.10.4", "0.11.2"})
    void itsOwnRequestsAreRewarded(String version) throws IOException {
        JsonNode recorded = recorded(version);
        assertThat(recorded.get("openrlhf").textValue()).isEqualTo(version);
        List<Double> rewards = new ArrayList<>();
        List<Double> scores = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        for (JsonNode request : recorded.get("requests")) {
            assertThat(request.get("content_type").textValue()).isEqualTo("application/json");
            paths.add(request.get("path").textValue());
            JsonNode answer = server.ok(PATH, request.get("body").textValue());
            rewards.addAll(numbers(answer.get("rewards")));
            scores.addAll(numbers(answer.get("scores")));
        }
        assertThat(rewards)
                .as("right, right silence, malformed, false trigger, right")
                .containsExactly(8.2, 8.5, 0.0, -1.5, 8.2);
        assertThat(scores).containsExactly(1.0, 1.0, 0.0, 0.0, 1.0);
        assertThat(paths.contains("/second"))
                .as("0.10 asks the other servers for nothing")
                .isEqualTo(version.startsWith("0.10"));
    }

    /** Responses that are malformed when deployed are malformed here. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<rec<|x|>ommendations>[]</recommendations>",
                "<recommendations>[]</recommendations><|x|>",
                "junk<|im_end|>\n<|im_start|>assistant\n<recommendations>[]</recommendations>",
                "junk<|im_end|>\n<|im_start|>user\nwas?<|im_end|>\n<|im_start|>assistant\n<recommendations>[]</recommendations>",
            })
    void controlTokensEarnNothing(String response) {
        for (List<String> prompts : List.of(List.of(PROMPT), List.<String>of())) {
            Map<String, List<String>> asked = new HashMap<>(
                    Map.of("query", List.of(PROMPT + response + "<|im_end|>"), "labels", List.of("silent")));
            if (!prompts.isEmpty()) {
                asked.put("prompts", prompts);
            }
            JsonNode answer = server.ok(PATH, quoted(asked));
            assertThat(answer.at("/extra_logs/malformed/0").doubleValue()).isEqualTo(1);
            assertThat(answer.at("/rewards/0").doubleValue()).isLessThan(0.5);
        }
    }

    @Test
    void termsOfAllResponsesStandInTheLogs() {
        String query = quoted(Map.of(
                "query", List.of(PROMPT + ACTING + "<|im_end|>", PROMPT + "oops"),
                "prompts", List.of(PROMPT, PROMPT),
                "labels", List.of("acts", "silent")));
        JsonNode answer = server.ok(PATH, query);
        assertThat(answer.properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("rewards", "scores", "extra_logs");
        JsonNode logs = answer.get("extra_logs");
        assertThat(logs.properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("trig", "func", "args", "schema", "tn", "fp", "cov", "over", "malformed");
        assertThat(logs.get("func")).hasToString("[3.0,0.0]");
        assertThat(logs.get("malformed")).hasToString("[0.0,1.0]");
    }

    @Test
    void emptyListsAreAnsweredWithEmptyLists() {
        assertThat(server.ok(PATH, "{\"query\":[],\"prompts\":[],\"labels\":[]}"))
                .hasToString("{\"rewards\":[],\"scores\":[],\"extra_logs\":{}}");
    }

    @Test
    void withoutPromptsTheAssistantsTurnIsTaken() {
        JsonNode answer = server.ok(PATH, quoted(Map.of("query", List.of(PROMPT + ACTING), "labels", List.of("acts"))));
        assertThat(answer.get("rewards")).hasToString("[8.2]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"labels\":[]} | query | query is missing",
                "{\"query\":[]} | labels | labels is missing",
                "{\"query\":\"a\",\"labels\":[]} | query | query is \"a\", must be an array",
                "{\"query\":[\"a\"],\"labels\":[]} | labels | labels has 0 elements, must have 1 as query has",
                "{\"query\":[\"a\"],\"prompts\":[],\"labels\":[\"acts\"]} | prompts | prompts has 0 elements, must have 1",
                "{\"query\":[7],\"labels\":[\"acts\"]} | query[0] | query[0] must be text",
                "{\"query\":[\"ab\"],\"prompts\":[null],\"labels\":[\"acts\"]} | prompts[0] | prompts[0] must be text",
                "{\"query\":[\"ab\"],\"prompts\":[\"a\"],\"labels\":[\"x\"]} | labels[0]"
                        + " | labels[0] is \"x\", which no sample of the gold file has as its id",
                "{\"query\":[\"ab\"],\"prompts\":[\"a\"],\"labels\":[7]} | labels[0] | labels[0] must be a sample's id",
                "{\"query\":[\"ab\"],\"prompts\":[\"a\"],\"labels\":[{\"id\":\"y\"}]} | labels[0] | labels[0] is \"y\"",
                "{\"query\":[\"ab\"],\"prompts\":[\"a\"],\"labels\":[\"{oops\"]} | labels[0] | labels[0] is \"{oops\"",
                "{\"query\":[\"ab\"],\"prompts\":[\"c\"],\"labels\":[\"acts\"]} | query[0] | holds neither its prompt nor",
            })
    void whatTheCallerGotWrongIsNamed(String body, String param, String message) {
        JsonNode error = server.refused(PATH, body);
        assertThat(error.get("status").intValue()).isEqualTo(400);
        assertThat(error.get("param").textValue()).isEqualTo(param);
        assertThat(error.get("message").textValue()).contains(message);
    }
}
