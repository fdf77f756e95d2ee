package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code serve} as a process: what it says first, what it answers, and how it ends. */
@Tag("slow")
class ServeJsonContractTest extends JsonContract {
    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void servesWhatIsNamedUntilASignalComes() throws Exception {
        Process server = CommandProcess.in(directory)
                .startReadable("serve", "--gold=" + DATA, "--pool=" + POOL, "--port=0", "--json");
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            JsonNode first = JSON.readTree(out.readLine());
            assertThat(keys(first)).containsExactly("listening");
            String address = first.get("listening").asText();
            assertThat(get(address + "/health")).isEqualTo("{\"status\":\"ok\"}");
            assertThat(get(address + "/ready")).isEqualTo("{\"status\":\"ready\"}");
            JsonNode gold =
                    JSON.readTree(directory.resolve(DATA).toFile()).get(0).at("/benchmark_metadata/id");
            JsonNode rewards = JSON.readTree(post(
                    address + "/v1/reward",
                    "{\"items\": [{\"id\": " + gold + ", \"response\": \"<recommendations>[]</recommendations>\"}]}"));
            assertThat(keys(rewards.at("/items/0"))).containsExactly("id", "total", "terms", "quadrant");
            assertThat(rewards.at("/items/0/id")).isEqualTo(gold);
            assertThat(post(address + "/v1/perceive", "{}"))
                    .contains("this server was started without --gate and --reasoner");
            assertThat(get(address + "/openapi.json")).contains("\"openapi\": \"3.1");
            assertThat(get(address + "/")).startsWith("<!doctype html>");
            server.toHandle().destroy(); // Process.destroy would close what is still to be read
            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
            assertThat(out.readLine()).as("nothing else on standard output").isNull();
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void nothingToServeIsWrongUsage() {
        CommandProcess.Result quick = run("serve", "--port=0");
        assertThat(quick.exitCode()).isEqualTo(2);
        assertThat(quick.stderr()).contains("there is no cascade below runs", "with --gate, --reasoner or --gold");
        CommandProcess.Result open = run("serve", "--gold=" + DATA, "--pool=" + POOL, "--host=0.0.0.0");
        assertThat(open.exitCode()).isEqualTo(2);
        assertThat(open.stderr()).contains("needs --api-key-file");
    }

    private String get(String address) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString())
                .body();
    }

    private String post(String address, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }
}
