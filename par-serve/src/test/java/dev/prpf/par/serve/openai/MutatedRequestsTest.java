package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.Mutations;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Mutations of valid requests: {@code -Dprpf.fuzz=N} sets their number, {@code -Dprpf.fuzz.seed=N} the seed of the first. */
class MutatedRequestsTest extends OnSmallServer {
    private static final String TOOL =
            "{'type': 'function', 'function': {'name': 'f', 'strict': true, 'parameters': {'type':"
                    + " 'object', 'properties': {'a': {'type': 'string', 'pattern': '^[a-z]{1,9}$'}}, 'required': ['a']}}}";
    private static final List<Request> REQUESTS = List.of(
            new Request(
                    TestServer.CHAT,
                    "{" + TestServer.HELLO + ", 'max_tokens': 2, 'temperature': 0.5, 'n': 2, 'seed': 3,"
                            + " 'stop': ['x'], 'logprobs': true, 'top_logprobs': 2, 'logit_bias': {'5': -1}}"),
            new Request(
                    TestServer.CHAT,
                    "{" + TestServer.HELLO + ", 'max_tokens': 30, 'response_format': {'type': 'json_schema',"
                            + " 'json_schema': {'name': 'n', 'strict': true, 'schema': {'type': 'object', 'properties': {'k':"
                            + " {'enum': ['a', 'b', 1]}}, 'required': ['k'], 'additionalProperties': false}}}}"),
            new Request(
                    TestServer.CHAT,
                    "{" + TestServer.HELLO + ", 'max_tokens': 30, 'tools': [" + TOOL + "],"
                            + " 'tool_choice': 'required', 'stream': true, 'stream_options': {'include_usage': true}}"),
            new Request(
                    "/v1/completions", "{'model': 'tiny', 'prompt': ['ab1', [1, 2]], 'max_tokens': 2, 'echo': true}"),
            new Request("/v1/embeddings", "{'model': 'letters', 'input': ['a', 'bc'], 'encoding_format': 'base64'}"));

    private record Request(String path, String body) {}

    @Test
    void mutatedRequests_areAnsweredWithADocumentedStatus() throws Exception {
        int count = Integer.getInteger("prpf.fuzz", 150);
        long first = Long.getLong("prpf.fuzz.seed", 1);
        Map<Integer, Integer> statuses = new TreeMap<>();
        double longest = 0;
        HttpClient client = HttpClient.newHttpClient();
        long before = heap();
        for (long seed = first; seed < first + count; seed++) {
            Random random = new Random(seed);
            Request request = REQUESTS.get(random.nextInt(REQUESTS.size()));
            byte[] valid = request.body().replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            byte[] body = Mutations.of(valid, random);
            long begin = System.nanoTime();
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create(server.server.address() + request.path()))
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofByteArray(body))
                            .build(),
                    BodyHandlers.ofString());
            double seconds = (System.nanoTime() - begin) / 1e9;
            longest = Math.max(longest, seconds);
            String context = request.path() + ", -Dprpf.fuzz=1 -Dprpf.fuzz.seed=" + seed + ", " + seconds + " s: "
                    + new String(body, StandardCharsets.UTF_8) + "\n" + answer.body();
            statuses.merge(answer.statusCode(), 1, Integer::sum);
            assertThat(answer.statusCode()).as(context).isIn(200, 400, 404, 413);
            if (answer.statusCode() != 200) {
                JsonNode error = TestServer.json(answer.body()).path("error");
                assertThat(error.path("message").textValue()).as(context).isNotBlank();
                assertThat(error.path("type").textValue()).as(context).isIn("invalid_request_error", "not_found_error");
            }
            assertThat(seconds).as(context).isLessThan(20); // of a busy machine
        }
        long after = heap();
        System.out.printf(
                "requests: %d, statuses %s, longest %.3f s, heap %d KiB before and %d KiB after%n",
                count, statuses, longest, before >> 10, after >> 10);
        assertThat(after - before).isLessThan(64 << 20);
        assertThat(statuses).containsKeys(200, 400);
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
