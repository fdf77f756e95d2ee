package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrossOriginTest {
    private static final String LISTED = "http://localhost:3000";
    private static final String KEY = "a-key-of-more-than-16";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private final AtomicInteger deletions = new AtomicInteger();

    private static HttpSettings settings(List<String> origins) {
        return new HttpSettings(1, 8, 4, 1000, 2, 16, 2, 0, 60, origins);
    }

    private ApiServer start(ApiKeys keys, String... origins) {
        HttpSettings settings = settings(List.of(origins));
        RequestBody body = new RequestBody(settings);
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, keys),
                settings,
                new ServerMetrics(keys),
                List.of(routes -> {
                    routes.post(
                            "/echo",
                            context -> ApiServer.answer(
                                    context,
                                    200,
                                    Map.of("said", body.fields(context).requiredText("say"))));
                    routes.delete("/data", context -> {
                        deletions.incrementAndGet();
                        ApiServer.answer(context, 200, Map.of());
                    });
                }),
                () -> true);
    }

    private ApiKeys keys() throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, "phone " + KEY + "\n");
        return ApiKeys.read(file);
    }

    private static HttpResponse<String> send(ApiServer server, String method, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path))
                .header("Content-Type", "application/json")
                .headers(headers)
                .method(
                        method,
                        method.equals("POST") ? BodyPublishers.ofString("{\"say\": \"a\"}") : BodyPublishers.noBody());
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> preflight(ApiServer server, String origin, String method) throws Exception {
        return send(
                server,
                "OPTIONS",
                "/echo",
                "Origin",
                origin,
                "Access-Control-Request-Method",
                method,
                "Access-Control-Request-Headers",
                "authorization,content-type,x-stainless-lang");
    }

    private static List<String> granted(HttpHeaders headers) {
        return headers.map().keySet().stream()
                .filter(name -> name.startsWith("access-control-"))
                .toList();
    }

    @Test
    void aPageOfAListedOriginCallsWithAKeyAndReadsRefusalsToo() throws Exception {
        try (ApiServer server = start(keys(), LISTED, "https://chat.example")) {
            HttpResponse<String> asked = preflight(server, LISTED, "DELETE");
            assertThat(asked.statusCode()).isEqualTo(200);
            HttpHeaders headers = asked.headers();
            assertThat(headers.firstValue("Access-Control-Allow-Origin")).hasValue(LISTED);
            assertThat(headers.firstValue("Access-Control-Allow-Methods")
                            .orElseThrow()
                            .split(","))
                    .containsExactlyInAnyOrder("GET", "POST", "DELETE");
            assertThat(headers.firstValue("Access-Control-Allow-Headers")
                            .orElseThrow()
                            .split(","))
                    .containsExactlyInAnyOrder("Authorization", "Content-Type", "*");
            assertThat(headers.allValues("Vary")).contains("Origin");
            HttpResponse<String> said =
                    send(server, "POST", "/echo", "Origin", LISTED, "Authorization", "Bearer " + KEY);
            assertThat(said.body()).isEqualTo("{\"said\":\"a\"}");
            assertThat(said.headers().firstValue("Access-Control-Allow-Origin")).hasValue(LISTED);
            assertThat(said.headers()
                            .firstValue("Access-Control-Expose-Headers")
                            .orElseThrow())
                    .contains("X-Request-Id");
            HttpResponse<String> refused = send(server, "POST", "/echo", "Origin", LISTED);
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("Access-Control-Allow-Origin"))
                    .hasValue(LISTED);
            assertThat(granted(said.headers())).doesNotContain("access-control-allow-credentials");
            assertThat(granted(headers)).doesNotContain("access-control-allow-credentials");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "http://localhost:3000.evil.example",
                "http://localhost:30000",
                "https://localhost:3000",
                "http://localhostx3000",
                "http://LOCALHOST:3000",
                "http://localhost:3000 http://evil.example",
                "null"
            })
    void anotherOriginIsRefusedBeforeAnythingChanges(String origin) throws Exception {
        try (ApiServer server = start(ApiKeys.NONE, LISTED)) {
            HttpResponse<String> asked = preflight(server, origin, "DELETE");
            assertThat(asked.statusCode()).isEqualTo(403);
            assertThat(granted(asked.headers())).isEmpty();
            for (String[] request : new String[][] {{"POST", "/echo"}, {"DELETE", "/data"}, {"GET", "/version"}}) {
                HttpResponse<String> refused = send(server, request[0], request[1], "Origin", origin);
                assertThat(refused.statusCode()).as(request[0]).isEqualTo(403);
                assertThat(refused.body())
                        .contains("pages of this origin may not call this server; http.allowed-origins lists others");
                assertThat(granted(refused.headers())).isEmpty();
            }
            assertThat(deletions).hasValue(0);
        }
    }

    @Test
    void withoutAListOnlyPagesOfTheServerItselfCall() throws Exception {
        try (ApiServer server = start(keys())) {
            String key = "Bearer " + KEY;
            HttpResponse<String> asked = preflight(server, LISTED, "POST");
            assertThat(asked.statusCode()).isEqualTo(403);
            assertThat(granted(asked.headers())).isEmpty();
            assertThat(send(server, "DELETE", "/data", "Origin", LISTED, "Authorization", key)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(deletions).hasValue(0);
            assertThat(send(server, "DELETE", "/data", "Origin", server.address(), "Authorization", key)
                            .statusCode())
                    .isEqualTo(200);
            String proxied = "https://prpf.example";
            assertThat(send(
                                    server,
                                    "DELETE",
                                    "/data",
                                    "Origin",
                                    proxied,
                                    "Sec-Fetch-Site",
                                    "same-origin",
                                    "Authorization",
                                    key)
                            .statusCode())
                    .as("through a proxy that changes Host")
                    .isEqualTo(200);
            assertThat(deletions).hasValue(2);
        }
    }

    @Test
    void requestsOfOtherSitesWithoutOrigin_areRefused() throws Exception {
        try (ApiServer server = start(ApiKeys.NONE, LISTED)) {
            for (String site : List.of("cross-site", "same-site")) {
                assertThat(send(server, "GET", "/version", "Sec-Fetch-Site", site)
                                .statusCode())
                        .isEqualTo(403);
            }
            for (String site : List.of("none", "same-origin")) {
                assertThat(send(server, "GET", "/version", "Sec-Fetch-Site", site)
                                .statusCode())
                        .isEqualTo(200);
            }
            assertThat(send(server, "GET", "/version", "Origin", LISTED, "Sec-Fetch-Site", "same-site")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "http://*.example", "localhost:3000", "http://localhost:3000/", "null", "http://A.b"})
    void aListHoldsOriginsAsBrowsersSendThem(String origin) {
        assertThatThrownBy(() -> settings(List.of(origin)))
                .hasMessage("allowed-origins = [" + origin + "] must be origins as browsers send them, SCHEME://HOST or"
                        + " SCHEME://HOST:PORT in lower case; * is not accepted");
    }
}
