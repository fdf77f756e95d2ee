package dev.prpf.par.serve.reward;

import static dev.prpf.par.serve.reward.RewardFixture.ACTING;
import static dev.prpf.par.serve.reward.RewardFixture.ALARM;
import static dev.prpf.par.serve.reward.RewardFixture.SILENCE;
import static dev.prpf.par.serve.reward.RewardFixture.quoted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.reward.ResponseScorer.RewardLine;
import dev.prpf.par.serve.reward.RewardRoutes.RewardServiceSettings;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /v1/reward}, and what all protocols share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RewardRoutesTest {
    private static final String PATH = "/v1/reward";

    private final RewardFixture server = new RewardFixture();

    @AfterAll
    void stop() {
        server.close();
    }

    private static String items(String... items) {
        return "{\"items\":[" + String.join(",", items) + "]}";
    }

    private static String item(String id, String response) {
        return quoted(Map.of("id", id, "response", response));
    }

    @Test
    void answersInOrderWhatParRewardPrints() {
        JsonNode answer = server.ok(
                PATH, items(item("silent", ACTING), item("acts", ACTING), item("silent", "无推荐"), item("acts", "oops")));
        List<String> expected = List.of("silent", ACTING, "acts", ACTING, "silent", "无推荐", "acts", "oops");
        for (int i = 0; i < 4; i++) {
            RewardLine line = RewardLine.of(RewardFixture.scorer().score(expected.get(2 * i), expected.get(2 * i + 1)));
            assertThat(answer.get("items").get(i)).hasToString(JsonRecords.write(line));
        }
        assertThat(answer.get("items"))
                .extracting(item -> item.get("quadrant").asText())
                .containsExactly("FP", "TP", "TN", "null");
        assertThat(answer.get("items"))
                .extracting(item -> item.get("total").doubleValue())
                .containsExactly(-1.5, 8.2, 8.5, 0.0);
    }

    @Test
    void callsAreRewardedWithFullSchemaCredit() {
        JsonNode answer = server.ok(
                PATH,
                items(
                        "{\"id\":\"acts\",\"calls\":[[" + ALARM + "]]}",
                        "{\"id\":\"acts\",\"calls\":[],\"response\":null}"));
        assertThat(answer.get("items"))
                .extracting(item -> item.get("total").doubleValue())
                .containsExactly(8.2, 0.5);
    }

    @Test
    void noItemsNoRewards() {
        assertThat(server.ok(PATH, items())).hasToString("{\"items\":[]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | items | items is missing",
                "{\"items\":null} | items | items is missing",
                "{\"items\":{}} | items | items is {}, must be an array",
                "{\"items\":[7]} | items[0] | items[0] is 7, must be an object",
                "{\"items\":[{\"response\":\"\"}]} | items[0].id | items[0].id is missing",
                "{\"items\":[{\"id\":7,\"response\":\"\"}]} | items[0].id | items[0].id is 7, must be text",
                "{\"items\":[{\"id\":\"acts\",\"response\":\"\"},{\"id\":\"nobody\",\"response\":\"\"}]} | items[1].id"
                        + " | items[1].id is \"nobody\", which no sample of the gold file has as its id",
                "{\"items\":[{\"id\":\"acts\"}]} | items[0].response"
                        + " | an item has one of \"response\" and \"calls\", this has neither",
                "{\"items\":[{\"id\":\"acts\",\"response\":\"\",\"calls\":[]}]} | items[0].response | this has both",
                "{\"items\":[{\"id\":\"acts\",\"response\":7}]} | items[0].response | must be text",
                "{\"items\":[{\"id\":\"acts\",\"calls\":7}]} | items[0].calls | must be an array of call lists, is 7",
                "{\"items\":[{\"id\":\"acts\",\"calls\":[[{\"name\":\"f\"}]]}]} | items[0].calls | parameters",
            })
    void whatTheCallerGotWrongIsNamed(String body, String param, String message) {
        JsonNode error = server.refused(PATH, body);
        assertThat(error.get("status").intValue()).isEqualTo(400);
        assertThat(error.get("type").textValue()).isEqualTo("invalid_request_error");
        assertThat(error.get("param").textValue()).isEqualTo(param);
        assertThat(error.get("message").textValue()).contains(message);
    }

    @Test
    void aRefusedIdIsShownInPart() {
        String message = server.refused(PATH, items(item("x".repeat(100_000), "")))
                .get("message")
                .textValue();
        assertThat(message)
                .isEqualTo(
                        "items[0].id is \"" + "x".repeat(57) + "...\", which no sample of the gold file has as its id");
    }

    @Test
    void whateverAPolicyWroteGetsAFiniteReward() {
        Random random = new Random(5);
        List<String> parts = List.of(
                "<recommendations>",
                "</recommendations>",
                "<thinking>",
                "[",
                "]",
                "{",
                "\"name\":\"ring_alarm\"",
                ALARM,
                "\"parameters\":{\"time\":1e400}",
                "{\"time\":-0}",
                "99999999999999999999999999",
                "\u0000",
                "🎷",
                "[".repeat(2000),
                " ".repeat(3000),
                "<|im_end|>",
                "无推荐",
                "\\ud800",
                "null",
                "\"");
        List<String> items = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            String response = random.ints(random.nextInt(12), 0, parts.size())
                    .mapToObj(parts::get)
                    .collect(Collectors.joining());
            items.add(item(i % 2 == 0 ? "acts" : "silent", response));
        }
        items.add(item("acts", ACTING.replace("\"08:30\"", "1e400")));
        JsonNode answer = server.ok(PATH, items(items.toArray(String[]::new)));
        assertThat(answer.get("items")).hasSize(501).allSatisfy(item -> {
            assertThat(item.get("total").isNumber()).isTrue();
            double sum = 0;
            for (JsonNode term : item.get("terms")) {
                sum += term.doubleValue();
            }
            assertThat(sum).isCloseTo(item.get("total").doubleValue(), within(1e-9));
        });
    }

    @Test
    void everyAnswerSaysWhatItWasMadeWith() {
        HttpResponse<String> answer = server.post(PATH, items());
        assertThat(answer.headers().firstValue("X-Reward-Version")).contains("1");
        assertThat(answer.headers().firstValue("X-Reward-Config"))
                .contains(RewardFixture.scorer().configuration());
        assertThat(server.post("/slime", "{}").headers().firstValue("X-Reward-Config"))
                .as("a refusal does so, too")
                .isPresent();
    }

    @Test
    void responsesAndFieldsThatNobodyKnowsAreCounted() {
        try (RewardFixture fresh = new RewardFixture()) {
            fresh.ok(
                    PATH,
                    "{\"model\":\"m\",\"items\":[{\"id\":\"silent\",\"response\":\"无推荐\",\"step\":3,\"epoch\":1},"
                            + item("acts", "oops") + "]}");
            assertThat(fresh.get("/metrics"))
                    .contains("prpf_ignored_fields_total{route=\"/v1/reward\"} 3.0")
                    .contains("prpf_rewarded_responses_total{quadrant=\"TN\"} 1.0")
                    .contains("prpf_rewarded_responses_total{quadrant=\"malformed\"} 1.0")
                    .contains("prpf_rewarded_responses_total{quadrant=\"FP\"} 0.0");
        }
    }

    @Test
    void moreResponsesThanARequestMayHave() {
        try (RewardFixture two = new RewardFixture(new RewardServiceSettings(1, 2, 1))) {
            String[] three = {item("acts", ""), item("acts", ""), item("acts", "")};
            JsonNode error = two.refused(PATH, items(three));
            assertThat(error.get("status").intValue()).isEqualTo(413);
            assertThat(error.get("message").textValue()).isEqualTo("items has 3 elements, at most 2 are taken at once");
            assertThat(two.refused("/get_reward", "{\"query\":[\"\",\"\",\"\"],\"labels\":[]}")
                            .get("message")
                            .textValue())
                    .isEqualTo("query has 3 elements, at most 2 are taken at once");
            assertThat(two.refused("/slime", "{\"response\":[\"\",\"\",\"\"],\"label\":[]}")
                            .get("status")
                            .intValue())
                    .isEqualTo(413);
        }
    }

    @Test
    void manyAskAtOnceAndEachGetsItsOwn() {
        List<CompletableFuture<JsonNode>> answers = IntStream.range(0, 200)
                .mapToObj(i -> CompletableFuture.supplyAsync(() ->
                        server.ok(PATH, items(item(i % 2 == 0 ? "acts" : "silent", i % 3 == 0 ? ACTING : SILENCE)))))
                .toList();
        for (int i = 0; i < answers.size(); i++) {
            String quadrant = i % 2 == 0 ? (i % 3 == 0 ? "TP" : "FN") : (i % 3 == 0 ? "FP" : "TN");
            assertThat(answers.get(i).join().get("items").get(0).get("quadrant").textValue())
                    .isEqualTo(quadrant);
        }
    }

    @Test
    void withoutSamplesThePathsSaySo() {
        try (RewardFixture without = RewardFixture.without()) {
            for (String path : List.of(PATH, "/get_reward", "/slime")) {
                JsonNode error = without.refused(path, "{}");
                assertThat(error.get("status").intValue()).isEqualTo(503);
                assertThat(error.get("message").textValue()).contains("started without --gold");
            }
        }
    }

    @Test
    void settingsOutOfTheirRangeAreRefused() {
        assertThatThrownBy(() -> new RewardServiceSettings(-1, 1, 1)).hasMessageContaining("concurrency = -1");
        assertThatThrownBy(() -> new RewardServiceSettings(0, 0, 1)).hasMessageContaining("max-responses = 0");
        assertThatThrownBy(() -> new RewardServiceSettings(0, 1, 0)).hasMessageContaining("queue-timeout = 0");
    }
}
