package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.prpf.base.error.ExitCode;
import dev.prpf.par.serve.ServeConfig;
import io.javalin.config.RoutesConfig;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiServerTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String KEY = "a-key-of-more-than-16";

    @TempDir
    private Path folder;

    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);

    private Routes echo(HttpSettings settings) {
        RequestBody body = new RequestBody(settings);
        return routes -> {
            routes.post("/echo", context -> {
                RequestFields fields = body.fields(context);
                ApiServer.answer(context, 200, Map.of("said", fields.requiredText("say")));
            });
            routes.post("/slow", context -> {
                waiting.countDown();
                goOn.await();
                ApiServer.answer(context, 200, Map.of("done", true));
            });
            routes.post("/watch", context -> {
                body.fields(context);
                ClientConnection connection = new ClientConnection(context);
                waiting.countDown();
                while (!connection.closed()) {
                    Thread.sleep(5);
                }
                gone.countDown();
            });
            routes.post("/deaf", context -> {
                waiting.countDown();
                boolean deaf = true;
                while (deaf) {
                    try {
                        goOn.await();
                        deaf = false;
                    } catch (InterruptedException e) {
                        // continues like native code
                    }
                }
            });
            routes.post("/bug", context -> {
                throw new IllegalStateException("secret of the handler");
            });
        };
    }

    /** Routes with a path that needs no key. */
    private static final Routes LEAFLET = new Routes() {
        @Override
        public void add(RoutesConfig routes) {
            routes.get("/leaflet", context -> context.result("for all"));
            routes.get("/leaflet/secret", context -> context.result(ApiServer.caller(context)));
        }

        @Override
        public Set<String> open() {
            return Set.of("/leaflet");
        }
    };

    private ApiServer start(ApiKeys keys) {
        HttpSettings small = new HttpSettings(1, 8, 4, 1000, 2, 16, 2, 0, 60, List.of());
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, keys),
                small,
                new ServerMetrics(),
                List.of(echo(small), LEAFLET),
                () -> true);
    }

    private static HttpResponse<String> post(ApiServer server, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    private static HttpResponse<String> get(ApiServer server, String path) {
        return send(HttpRequest.newBuilder(URI.create(server.address() + path)).build());
    }

    private static HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void answersAndCountsAndTellsItsHealth() throws InterruptedException {
        try (ApiServer server = start(ApiKeys.NONE)) {
            assertThat(post(server, "/echo", "{\"say\": \"你好\"}").body()).isEqualTo("{\"said\":\"你好\"}");
            assertThat(get(server, "/health").body()).isEqualTo("{\"status\":\"ok\"}");
            assertThat(server.routes())
                    .containsExactly(
                            "GET /health",
                            "GET /leaflet",
                            "GET /leaflet/secret",
                            "GET /metrics",
                            "GET /ready",
                            "GET /version",
                            "POST /bug",
                            "POST /deaf",
                            "POST /echo",
                            "POST /slow",
                            "POST /watch");
            assertThat(get(server, "/ready").body()).isEqualTo("{\"status\":\"ready\"}");
            String counted = "prpf_http_request_seconds_count{route=\"/echo\",status=\"200\"} 1";
            while (!get(server, "/metrics").body().contains(counted)) { // counted after the answer
                Thread.sleep(5);
            }
        }
    }

    @Test
    void everyMetricHasADescription() {
        try (ApiServer server = start(ApiKeys.NONE)) {
            post(server, "/echo", "{\"say\": \"a\"}");
            assertThat(get(server, "/metrics").body())
                    .contains("# HELP jvm_memory_used_bytes The amount of used memory")
                    .doesNotContainPattern("(?m)^# HELP \\S+ *$");
        }
    }

    @Test
    void refusesWhatIsNoRequestNamingTheRule() {
        try (ApiServer server = start(ApiKeys.NONE)) {
            assertThat(post(server, "/echo", "{\"say\": 3}").body())
                    .isEqualTo("{\"error\":{\"message\":\"say is 3, must be text\",\"type\":\"invalid_request_error\","
                            + "\"param\":\"say\",\"code\":null}}");
            assertThat(post(server, "/echo", "{}").body()).contains("say is missing");
            assertThat(post(server, "/echo", "[1]").body()).contains("the body must be a JSON object");
            assertThat(post(server, "/echo", "{\"say\": \"a\"").body()).contains("the body is not JSON, at line 1");
            assertThat(post(server, "/echo", "{\"say\": \"a\", \"say\": \"b\"}").body())
                    .contains("the body has a duplicate key");
            assertThat(post(server, "/echo", "{\"say\": \"a\"} {}").statusCode())
                    .isEqualTo(400);
            assertThat(post(server, "/echo", "{\"say\": \"\\ud800\"}").body()).contains("half a surrogate pair");
            HttpResponse<String> deep = post(server, "/echo", "{\"say\": " + "[".repeat(10_000));
            assertThat(deep.statusCode()).isEqualTo(413);
            assertThat(deep.body()).contains("at most 8 levels");
            assertThat(post(server, "/echo", "{\"say\": \"" + "x".repeat(1 << 20) + "\"}")
                            .body())
                    .contains("the body is longer than 1 MiB");
            assertThat(post(server, "/nowhere", "{}").statusCode()).isEqualTo(404);
            HttpRequest form = HttpRequest.newBuilder(URI.create(server.address() + "/echo"))
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(BodyPublishers.ofString("say=a"))
                    .build();
            assertThat(send(form).statusCode()).isEqualTo(415);
        }
    }

    @Test
    void anotherMethodIsToldWhichThereAre() {
        try (ApiServer server = start(ApiKeys.NONE)) {
            HttpResponse<String> answer = get(server, "/echo");
            assertThat(answer.statusCode()).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow")).hasValue("POST");
            assertThat(answer.body())
                    .isEqualTo("{\"error\":{\"message\":\"this path has no method GET, it has POST\",\"type\":"
                            + "\"invalid_request_error\",\"param\":null,\"code\":\"method_not_allowed\"}}");
        }
    }

    @Test
    void aHandlerThatGoesOnIsToldAfterTheEnd() throws Exception {
        ApiServer server = start(ApiKeys.NONE);
        CompletableFuture<Integer> cut =
                CompletableFuture.supplyAsync(() -> post(server, "/deaf", "{}").statusCode());
        try {
            assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(server.busy()).isTrue();
            server.close();
            assertThat(server.busy()).as("the handler heeds no interrupt").isTrue();
        } finally {
            goOn.countDown();
        }
        while (server.busy()) {
            Thread.sleep(5);
        }
        assertThat(cut).failsWithin(Duration.ofSeconds(60));
    }

    @Test
    void aBugTellsNothingOfItself() {
        try (ApiServer server = start(ApiKeys.NONE)) {
            HttpResponse<String> answer = post(server, "/bug", "{}");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body())
                    .doesNotContain("secret")
                    .contains(answer.headers().firstValue("X-Request-Id").orElseThrow());
        }
    }

    @Test
    void keysAreHashedInTheirFileAndNeededForAllButHealth() throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, "# phones\nphone " + KEY + "\n");
        ApiKeys keys = ApiKeys.read(file);
        assertThat(Files.readString(file)).startsWith("# phones\nphone sha256:").doesNotContain(KEY);
        try (ApiServer server = start(ApiKeys.read(file))) {
            assertThat(keys.caller("Bearer " + KEY)).isEqualTo("phone");
            assertThat(post(server, "/echo", "{\"say\": \"a\"}").statusCode()).isEqualTo(401);
            assertThat(post(server, "/echo", "{\"say\": \"a\"}", "Authorization", "Bearer " + KEY + "x")
                            .body())
                    .contains("invalid_api_key");
            assertThat(post(server, "/echo", "{\"say\": \"a\"}", "Authorization", "Bearer " + KEY)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(get(server, "/metrics").statusCode()).isEqualTo(401);
            assertThat(get(server, "/health").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void hashingKeepsAFileItsOwnersAndACheckLeavesItAlone() throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, "phone " + KEY + "\n");
        assertThat(ApiKeys.check(file).caller("Bearer " + KEY)).isEqualTo("phone");
        assertThat(file).hasContent("phone " + KEY);
        for (String[] rights :
                new String[][] {{"rw-------", "rw-------"}, {"r--------", "r--------"}, {"rw-r--r--", "rw-------"}}) {
            Files.writeString(file, "phone " + KEY + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights[0]));
            Path link = Files.createSymbolicLink(folder.resolve("link-" + rights[0]), file);
            ApiKeys.read(link);
            assertThat(Files.readString(file)).startsWith("phone sha256:");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(rights[1]);
            assertThat(link).isSymbolicLink();
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void onlyTheOpenPathsOfAWingNeedNoKey() throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, "phone " + KEY + "\n");
        try (ApiServer server = start(ApiKeys.read(file))) {
            assertThat(get(server, "/leaflet").body()).isEqualTo("for all");
            for (String path :
                    List.of("/leaflet/secret", "/leaflet/", "/leaflet;a", "/Leaflet", "/x/../leaflet/secret")) {
                assertThat(get(server, path).statusCode()).as(path).isBetween(400, 499);
            }
        }
        try (ApiServer server = start(ApiKeys.NONE)) {
            assertThat(get(server, "/leaflet/secret").body()).isEqualTo("local");
        }
    }

    @Test
    void badKeysAndPlacesAreRefusedAtTheStart() throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, "phone short\n");
        assertThatThrownBy(() -> ApiKeys.read(file))
                .hasMessage(file + ":1: the key has 5 characters, needs 16 at least; `openssl rand -hex 32` makes one");
        Files.writeString(file, "phone " + KEY + "\nphone " + KEY + "\n");
        assertThatThrownBy(() -> ApiKeys.read(file))
                .hasMessage(file + ":2: the name phone is a duplicate; give each key its own name");
        Files.writeString(file, "phone\n");
        assertThatThrownBy(() -> ApiKeys.read(file)).hasMessageContaining("a line must be NAME sha256:HEX or NAME KEY");
        Files.writeString(file, "# none\n");
        assertThatThrownBy(() -> ApiKeys.read(file)).hasMessageContaining("holds no key");
        assertThatThrownBy(() -> new ApiServer.Place("0.0.0.0", 0, ApiKeys.NONE))
                .hasMessageContaining("needs --api-key-file")
                .extracting(e -> ExitCode.of((dev.prpf.base.error.PrpfException) e))
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void withoutKeysAnotherHostsNameIsRefused() throws IOException {
        refusesAnotherHost("/version");
        refusesAnotherHost("/leaflet");
    }

    private void refusesAnotherHost(String path) throws IOException {
        try (ApiServer server = start(ApiKeys.NONE)) {
            URI address = URI.create(server.address());
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.getOutputStream()
                        .write(("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer).startsWith("HTTP/1.1 403");
            }
        }
    }

    @Test
    void anAddressOfIpv6IsWrittenAsInAUrl() throws IOException {
        assertThat(new ApiServer.Place("[::1]", 0, ApiKeys.NONE).host()).isEqualTo("::1");
        assumeThat(NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .anyMatch(address -> address instanceof Inet6Address && address.isLoopbackAddress()))
                .isTrue();
        ApiServer.Place place = new ApiServer.Place("[::1]", 0, ApiKeys.NONE);
        try (ApiServer server =
                ApiServer.start(place, ServeConfig.DEFAULT.http(), new ServerMetrics(), List.of(LEAFLET), () -> true)) {
            assertThat(server.address()).matches("http://\\[::1]:\\d+");
            assertThat(get(server, "/leaflet").body()).isEqualTo("for all");
        }
    }

    @Test
    void drainingRefusesWhatIsNewAndWaitsForWhatRuns() throws Exception {
        try (ApiServer server = start(ApiKeys.NONE)) {
            CompletableFuture<HttpResponse<String>> slow =
                    CompletableFuture.supplyAsync(() -> post(server, "/slow", "{}"));
            assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Void> drained = CompletableFuture.runAsync(server::drain);
            while (get(server, "/ready").statusCode() == 200) {
                Thread.sleep(5);
            }
            HttpResponse<String> refused = post(server, "/echo", "{\"say\": \"a\"}");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(drained).isNotDone();
            goOn.countDown();
            assertThat(slow.get(60, TimeUnit.SECONDS).body()).isEqualTo("{\"done\":true}");
            drained.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void aClientThatHangsUpIsSeen() throws Exception {
        try (ApiServer server = start(ApiKeys.NONE)) {
            URI address = URI.create(server.address());
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.getOutputStream()
                        .write(("POST /watch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: 2\r\n\r\n{}")
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
                Thread.sleep(50);
                assertThat(gone.getCount()).as("it still waits").isOne();
            }
            assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aConnectionThatSaysNothingIsClosed() throws IOException {
        try (ApiServer server = start(ApiKeys.NONE)) {
            URI address = URI.create(server.address());
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.setSoTimeout(20_000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
    }
}
