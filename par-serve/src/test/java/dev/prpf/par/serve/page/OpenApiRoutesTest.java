package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.cascade.CascadeRoutes;
import dev.prpf.par.serve.cascade.MomentReader;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.openai.LetterEncoder;
import dev.prpf.par.serve.openai.OpenAiRoutes;
import dev.prpf.par.serve.policy.UserPolicies;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import dev.prpf.par.serve.policy.UserRoutes;
import dev.prpf.par.serve.reward.RewardRoutes;
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
import java.nio.file.Path;
import java.time.Clock;
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
import org.junit.jupiter.api.io.TempDir;

/** The document keeps OpenAPI's rules and says what a server answers, neither more nor less. */
class OpenApiRoutesTest {
    private static final JsonNode DOCUMENT = read();
    private static final Path POLICY = Path.of(System.getProperty("prpf.root", ".."), "configs", "policy.yaml");

    /** Files that the page loads are not for clients; its pool is no file. */
    private static final Pattern PAGE_FILE = Pattern.compile("GET /playground/(?!pool\\.json).*");

    private static JsonNode read() {
        try {
            return new ObjectMapper().readTree(OpenApiRoutes.document());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All routes of a server without a model. */
    private static List<Routes> routes(ServerMetrics metrics) {
        RequestBody body = new RequestBody(ServeConfig.DEFAULT.http());
        return List.of(
                CascadeRoutes.missing(),
                UserRoutes.missing(),
                RewardRoutes.missing(),
                new OpenAiRoutes(
                        null,
                        List.of(),
                        new OpenAiRoutes.EmbeddingModel("letters", new LetterEncoder()),
                        body,
                        metrics),
                new PageRoutes(
                        new FunctionPool(List.of()),
                        new ScenarioCatalog(List.of(), Map.of()),
                        new PageRoutes.About(null, null, "none"),
                        List.of()),
                new OpenApiRoutes());
    }

    private static ApiServer start() {
        ServerMetrics metrics = new ServerMetrics();
        return start(metrics, routes(metrics));
    }

    private static ApiServer start(ServerMetrics metrics, List<Routes> routes) {
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                ServeConfig.DEFAULT.http(),
                metrics,
                routes,
                () -> true);
    }

    /** Returns the server's routes in the document's notation. */
    private static Set<String> answered(ApiServer server) {
        return server.routes().stream()
                .map(route -> route.replaceAll("<(\\w+)>", "{$1}"))
                .filter(route -> !PAGE_FILE.matcher(route).matches())
                .collect(Collectors.toCollection(TreeSet::new));
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
            assertThat(answered(server)).contains("POST /v1/reward", "GET /playground/pool.json", "GET /health");
            assertThat(documented()).isEqualTo(answered(server));
        }
    }

    @Test
    void aServerWithPoliciesAndRewardsHasNoOtherPaths(@TempDir Path folder) {
        ServerMetrics metrics = new ServerMetrics();
        FunctionPool pool = new FunctionPool(List.of());
        ResponseScorer scorer = new ResponseScorer(new StructuredReward(RewardSettings.PAPER, pool), Map.of(), null);
        MomentReader reader = new MomentReader(ServeConfig.DEFAULT.http(), ServeConfig.DEFAULT.cascade());
        PolicySettings settings = new PolicySettings(folder, 200, 8, 1);
        RequestBody body = new RequestBody(ServeConfig.DEFAULT.http());
        try (UserPolicies policies =
                        UserPolicies.open(POLICY, settings, new KeyShare(8 << 20, false), Clock.systemUTC());
                ApiServer missing = start(new ServerMetrics(), List.of(UserRoutes.missing(), RewardRoutes.missing()));
                ApiServer real = start(
                        metrics,
                        List.of(
                                new UserRoutes(policies, pool, reader::sample, body, metrics),
                                new RewardRoutes(scorer, ServeConfig.DEFAULT.reward(), body, metrics)))) {
            assertThat(answered(real)).isEqualTo(answered(missing));
        }
    }

    private static List<String> statuses(String path, String method) {
        List<String> statuses = new ArrayList<>();
        DOCUMENT.get("paths")
                .get(path)
                .get(method)
                .get("responses")
                .fieldNames()
                .forEachRemaining(statuses::add);
        return statuses;
    }

    /** A name that no user may have is refused wherever a path has one; a session answers one at a time. */
    @Test
    void refusalsOfUsersAndSessionsAreInIt() {
        DOCUMENT.get("paths").properties().stream()
                .filter(path -> path.getKey().contains("{user}"))
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> assertThat(
                                statuses(path.getKey(), method))
                        .as(method + " " + path.getKey())
                        .contains("400")));
        assertThat(statuses("/v1/sessions/{id}/frames", "post")).contains("409");
        assertThat(statuses("/v1/sessions/{id}/ask", "post")).contains("409");
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
