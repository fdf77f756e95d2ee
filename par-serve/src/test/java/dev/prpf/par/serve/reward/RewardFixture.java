package dev.prpf.par.serve.reward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.reward.RewardRoutes.RewardServiceSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A server that rewards responses to two samples: one wants an alarm at half past eight, the other wants silence. */
final class RewardFixture implements AutoCloseable {
    static final String ALARM = "{\"name\":\"ring_alarm\",\"parameters\":{\"time\":\"08:30\"}}";
    static final String ACTING =
            "<recommendations>[{\"instruction\":\"i\",\"function\":[" + ALARM + "]}]</recommendations>";
    static final String SILENCE = "<recommendations>[]</recommendations>";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ApiServer server;

    RewardFixture() {
        this(ServeConfig.DEFAULT.reward());
    }

    RewardFixture(RewardServiceSettings settings) {
        this(metrics -> new RewardRoutes(scorer(), settings, new RequestBody(ServeConfig.DEFAULT.http()), metrics));
    }

    private RewardFixture(Function<ServerMetrics, Routes> routes) {
        ServerMetrics metrics = new ServerMetrics();
        server = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                ServeConfig.DEFAULT.http(),
                metrics,
                List.of(routes.apply(metrics)),
                () -> true);
    }

    /** A server without samples. */
    static RewardFixture without() {
        return new RewardFixture(metrics -> RewardRoutes.missing());
    }

    static ResponseScorer scorer() {
        FunctionPool pool = new FunctionPool(List.of(new FunctionSpec(
                "ring_alarm", "", List.of(), List.of(new ParameterSpec("time", "", "string", true, null, null)))));
        FunctionCall alarm = new FunctionCall("ring_alarm", Map.of("time", new TextNode("08:30")));
        Sample acts = sample("acts", List.of(new Recommendation("i", List.of(alarm))));
        return new ResponseScorer(
                new StructuredReward(RewardSettings.PAPER, pool),
                Map.of("acts", acts, "silent", sample("silent", List.of())),
                null);
    }

    private static Sample sample(String id, List<Recommendation> answers) {
        return new Sample(
                id,
                1,
                null,
                null,
                new DeviceContext("p", "d", "w"),
                Trajectory.ofTexts(List.of("opens an app")),
                answers);
    }

    String address() {
        return server.address();
    }

    HttpResponse<String> post(String path, String body) {
        return send(HttpRequest.newBuilder(URI.create(server.address() + path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
    }

    String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(server.address() + path)).build())
                .body();
    }

    private static HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The answer's body, which must be 200. */
    JsonNode ok(String path, String body) {
        HttpResponse<String> answer = post(path, body);
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.statusCode() + ": " + answer.body());
        }
        return json(answer.body());
    }

    /** The error object of a refusal, with its status as {@code status}. */
    JsonNode refused(String path, String body) {
        HttpResponse<String> answer = post(path, body);
        return ((ObjectNode) json(answer.body()).path("error")).put("status", answer.statusCode());
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }

    static String quoted(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
