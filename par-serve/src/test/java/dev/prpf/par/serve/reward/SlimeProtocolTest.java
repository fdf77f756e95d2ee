package dev.prpf.par.serve.reward;

import static dev.prpf.par.serve.reward.RewardFixture.ACTING;
import static dev.prpf.par.serve.reward.RewardFixture.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /slime}, with requests as slime's and miles' {@code remote_rm} send them: a sample's prompt, response and label. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SlimeProtocolTest {
    private static final String PATH = "/slime";

    private final RewardFixture server = new RewardFixture();

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void theAnswerIsABareNumber() {
        String text = quoted(Map.of("prompt", "was?", "response", ACTING + "<|im_end|>", "label", "acts"));
        assertThat(server.post(PATH, text).body()).isEqualTo("8.2");
        List<Map<String, String>> messages = List.of(Map.of("role", "user", "content", "was?"));
        String chat = quoted(Map.of("prompt", messages, "response", ACTING, "label", Map.of("id", "silent")));
        assertThat(server.post(PATH, chat).body()).isEqualTo("-1.5");
        String malformed = quoted(Map.of("response", "oops", "label", "{\"id\":\"silent\",\"recommendations\":[]}"));
        assertThat(server.post(PATH, malformed).body()).isEqualTo("0.0");
    }

    @Test
    void listsGiveAList() {
        String batch = quoted(Map.of("response", List.of(ACTING, "无推荐"), "label", List.of("acts", "silent")));
        assertThat(server.post(PATH, batch).body()).isEqualTo("[8.2,8.5]");
        assertThat(server.post(PATH, "{\"response\":[],\"label\":[]}").body()).isEqualTo("[]");
    }

    @Test
    void fieldsOfOtherVersionsAreIgnoredAndCounted() {
        try (RewardFixture fresh = new RewardFixture()) {
            String body = quoted(Map.of("prompt", "p", "response", "无推荐", "label", "silent", "metadata", Map.of()));
            assertThat(fresh.post(PATH, body).body()).isEqualTo("8.5");
            assertThat(fresh.get("/metrics")).contains("prpf_ignored_fields_total{route=\"/slime\"} 1.0");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"label\":\"acts\"} | response | response is missing",
                "{\"response\":\"\"} | label | label is missing",
                "{\"response\":7,\"label\":\"acts\"} | response | response must be text",
                "{\"response\":\"\",\"label\":\"nobody\"} | label | label is \"nobody\", which no sample",
                "{\"response\":\"\",\"label\":7} | label | label must be a sample's id",
                "{\"response\":[\"\"],\"label\":\"acts\"} | label | label is \"acts\", must be an array",
                "{\"response\":[\"\"],\"label\":[]} | label | label has 0 elements, must have 1 as response has",
                "{\"response\":[\"\",7],\"label\":[\"acts\",\"acts\"]} | response[1] | response[1] must be text",
            })
    void whatTheCallerGotWrongIsNamed(String body, String param, String message) {
        JsonNode error = server.refused(PATH, body);
        assertThat(error.get("status").intValue()).isEqualTo(400);
        assertThat(error.get("param").textValue()).isEqualTo(param);
        assertThat(error.get("message").textValue()).contains(message);
    }
}
