package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.RecordJson;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ServerMetrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageRoutesTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String KEY = "a-key-of-more-than-16";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"#]+)\"|from '\\./([^']+)'");

    private final PageRoutes page = new PageRoutes(FakeCascade.POOL, FakeCascade.CATALOG, FakeCascade.ABOUT, List.of());

    @TempDir
    private Path folder;

    private ApiServer server;

    @BeforeEach
    void start() throws IOException {
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "phone " + KEY + "\n");
        server = start(page, ApiKeys.read(keys));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static ApiServer start(PageRoutes page, ApiKeys keys) {
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, keys),
                ServeConfig.DEFAULT.http(),
                new ServerMetrics(),
                List.of(page, new FakeCascade()),
                () -> true);
    }

    private HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    private static HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static String source(String path) {
        return path.equals("/") ? "index.html" : path.substring(PageRoutes.FOLDER.length());
    }

    @Test
    void everyFileComesWithoutAKeyAndUnderTheStrictPolicy() {
        assertThat(page.open()).contains("/", "/playground/app.js").hasSizeGreaterThan(15);
        for (String path : page.open()) {
            HttpResponse<String> file = get(path);
            assertThat(file.statusCode()).as(path).isEqualTo(200);
            assertThat(header(file, "Content-Security-Policy")).as(path).isEqualTo(PageRoutes.POLICY);
            assertThat(header(file, "X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(header(file, "Referrer-Policy")).isEqualTo("no-referrer");
        }
        assertThat(PageRoutes.POLICY)
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "http", "*");
    }

    @Test
    void typesAreWhatABrowserThatMayNotGuessNeeds() {
        Map.of(
                        "/", "text/html",
                        "/playground/app.js", "text/javascript",
                        "/playground/page.css", "text/css",
                        "/playground/icon.svg", "image/svg+xml",
                        "/playground/examples.json", "application/json",
                        "/playground/examples/test-12-000015-0.png", "image/png")
                .forEach((path, type) ->
                        assertThat(header(get(path), "Content-Type")).as(path).startsWith(type));
        assertThat(header(get("/"), "Content-Type")).endsWith("charset=utf-8");
    }

    @Test
    void thePoolAndAllElseNeedTheKey() throws IOException {
        assertThat(get("/playground/pool.json").statusCode()).isEqualTo(401);
        assertThat(get("/version").statusCode()).isEqualTo(401);
        JsonNode pool = JSON.readTree(
                get("/playground/pool.json", "Authorization", "Bearer " + KEY).body());
        assertThat(pool.path("functions")).hasSize(FakeCascade.POOL.size());
        assertThat(pool.path("scenarios")).hasSize(14);
        JsonNode first = pool.path("functions").get(0);
        assertThat(first.path("name").textValue()).isEqualTo("start_workout");
        assertThat(first.path("scenario").textValue()).isEqualTo("Sports & Health");
        assertThat(first.path("description").textValue()).isNotBlank();
    }

    @Test
    void aServerWithoutAPoolHasThePageToo() {
        PageRoutes bare = new PageRoutes(
                new FunctionPool(List.of()), new ScenarioCatalog(List.of(), Map.of()), FakeCascade.ABOUT, List.of());
        try (ApiServer open = start(bare, ApiKeys.NONE)) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(open.address() + "/playground/pool.json"))
                    .build();
            assertThat(send(request).body())
                    .isEqualTo(
                            "{\"functions\":[],\"scenarios\":[],\"server\":{\"gate\":\"runs/gate\",\"reasoner\":\"tiny\",\"feedback\":\"temporary\"}}");
        }
    }

    @Test
    void examplesOfOtherFunctionsAreTheGivenRecords() throws IOException {
        Sample acting = new Sample(
                "r1",
                1,
                null,
                null,
                Prompts.CONTEXT,
                Prompts.TEXT.trajectory(),
                List.of(new Recommendation("点菜", List.of(new FunctionCall("order_food", Map.of())))));
        Sample silent = acting.with(acting.context(), acting.trajectory(), List.of());
        assertThat(JSON.readTree(examplesOf(Prompts.POOL, List.of(silent, acting)))
                        .findValuesAsText("title"))
                .containsExactly("r1: order_food", "r1: nothing to do");
        assertThat(examplesOf(Prompts.POOL, List.of())).isEqualTo("[]");
        assertThat(JSON.readTree(examplesOf(FakeCascade.POOL, List.of(acting)))).hasSize(13);
    }

    private static String examplesOf(FunctionPool pool, List<Sample> records) {
        PageRoutes page = new PageRoutes(pool, Prompts.CATALOG, FakeCascade.ABOUT, records);
        try (ApiServer open = start(page, ApiKeys.NONE)) {
            return send(HttpRequest.newBuilder(URI.create(open.address() + "/playground/examples.json"))
                            .build())
                    .body();
        }
    }

    @Test
    void thereIsNothingElseToFetchOrToPost() {
        assertThat(get("/playground/", "Authorization", "Bearer " + KEY).statusCode())
                .isEqualTo(404);
        assertThat(get("/playground/../page.css").statusCode()).isBetween(400, 499);
        assertThat(get("/playground/%2e%2e/page.css").statusCode()).isBetween(400, 499);
        HttpRequest post = HttpRequest.newBuilder(URI.create(server.address() + "/"))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        assertThat(send(post).statusCode()).isEqualTo(405);
    }

    @Test
    void whatAFileRefersToIsServedAndEveryFileIsReferredTo() {
        Set<String> referred = new HashSet<>(Set.of("/", "/playground/examples.json"));
        for (String path : page.open()) {
            if (path.equals("/") || path.endsWith(".js") || path.endsWith(".html")) {
                REFERENCE
                        .matcher(get(path).body())
                        .results()
                        .map(reference ->
                                URI.create(path).resolve(target(reference)).getPath())
                        .filter(target -> !target.equals("/openapi.json")) // OpenApiRoutes
                        .forEach(referred::add);
            }
        }
        examples().forEach(record -> images(record).forEach(image -> referred.add("/playground/" + image)));
        assertThat(referred).containsExactlyInAnyOrderElementsOf(page.open());
    }

    private static String target(MatchResult reference) {
        return reference.group(1) != null ? reference.group(1) : reference.group(2);
    }

    @Test
    void noFileHoldsInlineCodeMarkupFromTextsOrAnAddressOfElsewhere() {
        for (String path : page.open()) {
            if (path.endsWith(".png")) {
                continue;
            }
            String text = get(path).body();
            assertThat(text.replace("http://www.w3.org/2000/svg", ""))
                    .as(source(path))
                    .doesNotContain("http:", "https:", "//cdn", "localStorage", "document.cookie", "indexedDB");
            if (path.endsWith(".js")) {
                assertThat(text)
                        .as(source(path))
                        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
                        .doesNotContain("new Function", "srcdoc", "javascript:", "DOMParser");
            }
        }
        assertThat(get("/").body())
                .doesNotContain("<style", " style=", "javascript:")
                .doesNotContainPattern("<script(?![^>]* src=)")
                .doesNotContainPattern(" on[a-z]+=");
    }

    @Test
    void everyExampleIsASoundRecordOfThePoolWithItsImages() {
        List<JsonNode> records = examples();
        assertThat(records).hasSize(13);
        Set<Boolean> acting = new HashSet<>();
        Set<Boolean> showsImages = new HashSet<>();
        for (JsonNode record : records) {
            List<Defect> defects = new ArrayList<>();
            RecordJson.Reading reading = new RecordJson(AnswersMapping.standard()).read(record, defects::add);
            assertThat(defects).as(record.path("benchmark_metadata").toString()).isEmpty();
            Objects.requireNonNull(reading.sample()).validSequences().stream()
                    .flatMap(List::stream)
                    .forEach(call -> assertThat(FakeCascade.POOL.contains(call.name()))
                            .as(call.name())
                            .isTrue());
            acting.add(reading.sample().wantsIntervention());
            showsImages.add(!images(record).isEmpty());
            images(record).forEach(image -> assertThat(page.open()).contains(PageRoutes.FOLDER + image));
        }
        assertThat(acting).as("some want help and some do not").containsExactlyInAnyOrder(true, false);
        assertThat(showsImages).as("some have screenshots").containsExactlyInAnyOrder(true, false);
    }

    private List<JsonNode> examples() {
        try {
            List<JsonNode> records = new ArrayList<>();
            for (JsonNode example :
                    JSON.readTree(get("/playground/examples.json").body())) {
                assertThat(example.path("title").textValue()).isNotBlank();
                records.add(example.path("record"));
            }
            return records;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> images(JsonNode record) {
        RecordJson.Reading reading = new RecordJson(AnswersMapping.standard()).read(record, defect -> {});
        return reading.steps().stream()
                .filter(TraceStep.Screenshot.class::isInstance)
                .map(step -> ((TraceStep.Screenshot) Objects.requireNonNull(step)).path())
                .toList();
    }
}
