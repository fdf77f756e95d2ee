package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bodies of whole requests that are wrong in themselves. */
class HostileBodiesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final int MUTATIONS = Integer.getInteger("prpf.fuzz", 2000);
    private static final List<byte[]> SEEDS = List.of(
            bytes("{\"say\": \"hello, 你好 \\ud83d\\ude00\", \"whole\": 12, \"number\": 0.25}"),
            bytes("{\"say\": \"\", \"extra\": [[[1, 2], {\"deep\": {\"deeper\": null}}], true, -1e-3]}"),
            bytes("{\"say\": \"\\u0000\\n\\\"\\\\\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}"));

    private ApiServer server;

    @BeforeEach
    void start() {
        server = new HostileRoutes().start(ApiKeys.NONE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private HttpResponse<String> post(byte[] body) throws IOException, InterruptedException {
        return post("/echo", body);
    }

    private HttpResponse<String> post(String path, byte[] body) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(server.address() + path))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofByteArray(body))
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void everyMutatedBodyIsAnsweredInJson() throws Exception {
        Random random = new Random(19);
        int taken = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] body = Mutations.of(SEEDS.get(i % SEEDS.size()), random);
            HttpResponse<String> answer = post(body);
            String context = "body " + i + ": " + new String(body, StandardCharsets.UTF_8) + "\n" + answer.body();
            assertThat(answer.statusCode()).as(context).isIn(200, 400, 413);
            JsonNode json = JSON.readTree(answer.body());
            if (answer.statusCode() == 200) {
                taken++;
                assertThat(json.path("said").isTextual()).as(context).isTrue();
            } else {
                assertThat(json.at("/error/message").textValue()).as(context).isNotBlank();
                assertThat(json.at("/error/type").textValue()).isEqualTo("invalid_request_error");
            }
        }
        assertThat(taken).isBetween(MUTATIONS / 50, MUTATIONS / 2);
    }

    private void refused(String body, int status, String message) throws Exception {
        HttpResponse<String> answer = post(bytes(body));
        assertThat(answer.statusCode()).as(body).isEqualTo(status);
        assertThat(JSON.readTree(answer.body()).at("/error/message").textValue())
                .contains(message);
    }

    @Test
    void numbersBeyondAllMeasureAreRefused() throws Exception {
        refused("{\"say\": \"a\", \"number\": 1e999}", 400, "must be a number from 0.0 to 2.0");
        refused("{\"say\": \"a\", \"number\": " + "9".repeat(101) + "}", 413, "100 digits a number");
        refused("{\"say\": \"a\", \"whole\": 9223372036854775808}", 400, "must be an integer of at least -5");
        refused("{\"say\": \"a\", \"whole\": 1e2}", 400, "must be an integer");
        refused("{\"say\": \"a\", \"whole\": 1E+1000000000}", 400, "must be an integer");
        refused("{\"say\": \"a\", \"whole\": -6}", 400, "whole is -6");
        refused("{\"say\": \"a\", \"whole\": NaN}", 400, "the body is not JSON");
        assertThat(post(bytes("{\"say\": \"a\", \"whole\": 9223372036854775807}"))
                        .body())
                .contains("9223372036854775807");
    }

    @Test
    void treesThatWouldFillTheHeapAreRefused() throws Exception {
        refused("{\"say\": " + "[".repeat(10_000), 413, "at most 8 levels");
        refused("{\"say\": " + "{\"a\":".repeat(10_000), 413, "at most 8 levels");
        refused("{\"say\": [" + "[],".repeat(20_000) + "[]]}", 413, "150000 numbers or 30000 other values and keys");
        refused("{\"say\": [" + "7,".repeat(150_000) + "7]}", 413, "150000 numbers");
        refused("{\"say\": [" + "7,".repeat(140_000) + "7]}", 400, "must be text");
        refused("{\"" + "k".repeat(2000) + "\": 1}", 413, "1000 characters a key");
    }

    private void refusedBytes(byte[] body) throws Exception {
        HttpResponse<String> answer = post(body);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(answer.body()).at("/error/message").textValue())
                .matches("the body is not text in UTF-8|the body is not JSON, at line .*");
    }

    @Test
    void bytesAreStrictUtf8() throws Exception {
        String body = "{\"say\": \"aé\"}";
        for (String charset : List.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "ISO-8859-1")) {
            refusedBytes(body.getBytes(Charset.forName(charset)));
        }
        for (String wrong : List.of(
                "\u00c0\u00af", "\u00e0\u0080\u00af", "\u00ed\u00a0\u0080", "\u00f5\u0080\u0080\u0080", "\u0080")) {
            refusedBytes(("{\"say\": \"" + wrong + "\"}").getBytes(StandardCharsets.ISO_8859_1));
        }
        assertThat(post(bytes("\uFEFF" + body)).body()).contains("\"said\":\"aé\"");
    }

    @Test
    void textIsUnicode() throws Exception {
        refused("{\"say\": \"\\ud83d\"}", 400, "half a surrogate pair");
        refused("{\"say\": \"\\ude00\\ud83d\"}", 400, "half a surrogate pair");
        refused("{\"\\ud83d\": 1}", 400, "the body is not JSON"); // Jackson knows no such key
        refused("{\"say\": [{\"a\": [\"\\ud83d \"]}]}", 400, "half a surrogate pair");
        assertThat(post(bytes("{\"say\": \"\\ud83d\\ude00\"}")).body()).contains("😀");
    }

    private void refusedHeld(String text, String more, int status, String words) throws Exception {
        String body = "{\"json\": " + JSON.writeValueAsString(text) + ", \"more\": " + more + "}";
        HttpResponse<String> answer = post("/held", bytes(body));
        assertThat(answer.body()).contains(words);
        assertThat(answer.statusCode()).isEqualTo(status);
    }

    @Test
    void textsThatHoldJson_keepToTheRulesOfTheBody() throws Exception {
        assertThat(post("/held", bytes("{\"json\": \"{\\\"a\\\": [1]}\"}")).body())
                .isEqualTo("{\"held\":\"{\\\"a\\\":[1]}\"}");
        refusedHeld("[".repeat(100) + "]".repeat(100), "0", 413, "at most 8 levels");
        refusedHeld("{\"a\": 1, \"a\": 2}", "0", 400, "json has a duplicate key, at line 1, column 13");
        refusedHeld("[\"\\ud800x\"]", "0", 400, "json holds half a surrogate pair");
        refusedHeld("1".repeat(101), "0", 413, "100 digits a number");
        refusedHeld("[1] 2", "0", 400, "json is \\\"[1] 2\\\", must be JSON");
        refusedHeld("nothing", "0", 400, "must be JSON");
    }

    @Test
    void textsThatHoldJson_shareTheTokensOfTheirRequest() throws Exception {
        String elements = "[" + "[],".repeat(10_000) + "0]";
        assertThat(post("/held", bytes("{\"json\": \"" + elements + "\"}")).statusCode())
                .isEqualTo(200);
        refusedHeld(elements, elements.replace("[],", "[],0,"), 413, "150000 numbers or 30000 other values and keys");
    }
}
