package dev.prpf.par.serve.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.FunctionPool;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.reward.RewardRoutes;
import dev.prpf.par.serve.reward.RewardServiceSettings;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The document keeps OpenAPI's rules and says what a server answers, neither more nor less. */
class OpenApiRoutesTest {
    private static final JsonNode DOCUMENT = read();

    /** Paths of files that the page loads; not for clients. */
    private static final String PAGE = "/playground/";

    /** What the wings answer that {@link #wings} does not start: they need models. */
    private static final List<String> OF_OTHER_WINGS = List.of(
            "DELETE /v1/sessions/{id}",
            "DELETE /v1/users/{user}/data",
            "GET /",
            "GET /v1/models",
            "GET /v1/models/{id}",
            "GET /v1/users/{user}/audit",
            "GET /v1/users/{user}/data",
            "GET /v1/users/{user}/feedback",
            "GET /v1/users/{user}/pictures/{name}",
            "POST /detokenize",
            "POST /tokenize",
            "POST /v1/chat/completions",
            "POST /v1/completions",
            "POST /v1/embeddings",
            "POST /v1/perceive",
            "POST /v1/recommend",
            "POST /v1/sessions",
            "POST /v1/sessions/{id}/ask",
            "POST /v1/sessions/{id}/frames",
            "POST /v1/users/{user}/feedback");

    private static JsonNode read() {
        try {
            return new ObjectMapper().readTree(OpenApiRoutes.document());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every wing that can be started without a model. */
    private static List<Routes> wings(ServerMetrics metrics) {
        StructuredReward reward = new StructuredReward(RewardSettings.PAPER, new FunctionPool(List.of()));
        ResponseScorer scorer = new ResponseScorer(reward, Map.of(), null);
        RequestBody body = new RequestBody(HttpSettings.DEFAULT);
        return List.of(new OpenApiRoutes(), new RewardRoutes(scorer, RewardServiceSettings.DEFAULT, body, metrics));
    }

    private static ApiServer start() {
        ServerMetrics metrics = new ServerMetrics();
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                HttpSettings.DEFAULT,
                metrics,
                wings(metrics),
                () -> true);
    }

    private static Set<String> documented() {
        Set<String> documented = new TreeSet<>();
        DOCUMENT.get("paths").properties().forEach(path -> path.getValue()
                .fieldNames()
                .forEachRemaining(method -> documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        return documented;
    }

    @Test
    void aValidatorAcceptsIt() {
        ParseOptions options = new ParseOptions();
        options.setResolve(true);
        options.setResolveFully(true);
        SwaggerParseResult result = new OpenAPIV3Parser()
                .readContents(new String(OpenApiRoutes.document(), StandardCharsets.UTF_8), null, options);
        assertThat(result.getMessages()).isEmpty();
        assertThat(result.getOpenAPI().getOpenapi()).isEqualTo("3.1.0");
        assertThat(result.getOpenAPI().getPaths()).hasSameSizeAs(DOCUMENT.get("paths"));
    }

    @Test
    void theValidatorRefusesWhatIsWrong() {
        String wrong = new String(OpenApiRoutes.document(), StandardCharsets.UTF_8)
                .replaceFirst("\"responses\"", "\"answers\"")
                .replace("\"type\": \"http\"", "\"type\": \"carrier pigeon\"");
        assertThat(new OpenAPIV3Parser()
                        .readContents(wrong, null, new ParseOptions())
                        .getMessages())
                .isNotEmpty();
    }

    @Test
    void everyReferenceHasItsTarget() {
        List<String> missing = DOCUMENT.findValuesAsText("$ref").stream()
                .filter(reference -> !reference.startsWith("#/")
                        || DOCUMENT.at(reference.substring(1)).isMissingNode())
                .toList();
        assertThat(missing).isEmpty();
        Set<String> used = Set.copyOf(DOCUMENT.findValuesAsText("$ref"));
        List<String> unused = new ArrayList<>();
        for (String part : List.of("schemas", "responses")) {
            DOCUMENT.at("/components/" + part)
                    .fieldNames()
                    .forEachRemaining(name -> unused.add("#/components/" + part + "/" + name));
        }
        unused.removeAll(used);
        assertThat(unused).isEmpty();
    }

    @Test
    void everyOperationHasANameOfItsOwnAndItsPathsParameters() {
        List<String> names = DOCUMENT.get("paths").findValuesAsText("operationId");
        assertThat(names).doesNotHaveDuplicates().hasSameSizeAs(documented());
        DOCUMENT.get("paths").properties().forEach(path -> path.getValue().forEach(operation -> {
            List<String> inPath = new ArrayList<>();
            operation.path("parameters").forEach(parameter -> {
                if (parameter.get("in").textValue().equals("path")) {
                    inPath.add("{" + parameter.get("name").textValue() + "}");
                }
            });
            List<String> written = Pattern.compile("\\{\\w+}")
                    .matcher(path.getKey())
                    .results()
                    .map(MatchResult::group)
                    .toList();
            assertThat(inPath).as(path.getKey()).isEqualTo(written);
        }));
    }

    @Test
    void everyPathOfAServerIsInItAndNoOther() {
        try (ApiServer server = start()) {
            Set<String> answered = server.routes().stream()
                    .filter(route -> !route.contains(PAGE))
                    .map(route -> route.replaceAll("<(\\w+)>", "{$1}"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(answered).contains("POST /v1/reward", "GET /openapi.json", "GET /health");
            answered.addAll(OF_OTHER_WINGS);
            assertThat(documented()).isEqualTo(answered);
        }
    }

    @Test
    void itIsServedAsItIs() throws IOException, InterruptedException {
        try (ApiServer server = start()) {
            HttpResponse<byte[]> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(server.address() + "/openapi.json"))
                                    .build(),
                            BodyHandlers.ofByteArray());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(answer.body()).isEqualTo(OpenApiRoutes.document());
        }
    }
}
