package dev.prpf.cli.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A fake server for the part of MLflow's REST API (mlflow.org/docs/latest/rest-api.html) that its Java client uses. It checks requests like
 * MLflow: known ids, names, limits of a batch, parameters that never change. Equal metrics are kept once, as in MLflow's databases.
 */
final class FakeMlflow implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern NAME = Pattern.compile("[/\\w.\\- ]{1,250}");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Map<String, Experiment> experiments = new ConcurrentHashMap<>();
    final Map<String, Run> runs = new ConcurrentHashMap<>();
    final List<String> requests = new CopyOnWriteArrayList<>();
    final List<String> authorizations = new CopyOnWriteArrayList<>();
    /** Answers in the place of what is right; null for none. */
    private volatile @Nullable Fault fault;

    private volatile boolean takesArtifacts = true;

    /** A failure to inject; if {@code late}, after the request is executed. */
    record Fault(String path, int status, String body, boolean late) {}

    static final class Experiment {
        String name = "";
        volatile String stage = "active";
    }

    record Metric(String key, double value, long timestamp, long step) {}

    static final class Run {
        String experiment = "";
        String name = "";
        volatile String status = "RUNNING";
        volatile String stage = "active";
        volatile long started;
        volatile long ended;
        private int rows;
        final Map<String, String> parameters = new LinkedHashMap<>();
        final Map<String, String> tags = new LinkedHashMap<>();
        private final Set<Metric> metrics = new LinkedHashSet<>();
        final Map<String, String> artifacts = new LinkedHashMap<>();

        private synchronized void add(Metric metric) {
            metrics.add(metric);
            rows++;
        }

        /** Metrics that came, equal ones counted each time. */
        synchronized int rows() {
            return rows;
        }

        synchronized List<Metric> metrics() {
            return List.copyOf(metrics);
        }

        /** Step to value, in order of arrival. */
        synchronized Map<Long, Double> history(String key) {
            Map<Long, Double> history = new LinkedHashMap<>();
            metrics.stream().filter(metric -> metric.key().equals(key)).forEach(metric -> {
                if (history.put(metric.step(), metric.value()) != null) {
                    throw new AssertionError("step " + metric.step() + " of " + key + " came twice");
                }
            });
            return history;
        }
    }

    /** A refusal in MLflow's words. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final int status;
        private final String code;

        Refused(int status, String code, String message) {
            super(message);
            this.status = status;
            this.code = code;
        }
    }

    FakeMlflow() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        experiment("0", "Default");
        server.start();
    }

    void experiment(String id, String name) {
        Experiment experiment = new Experiment();
        experiment.name = name;
        experiments.put(id, experiment);
    }

    Experiment kept(String id) {
        return Objects.requireNonNull(experiments.get(id));
    }

    String uri() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    Run onlyRun() {
        if (runs.size() != 1) {
            throw new AssertionError("one run was expected: " + runs.keySet());
        }
        return runs.values().iterator().next();
    }

    Run run(String name) {
        return runs.values().stream()
                .filter(run -> run.name.equals(name))
                .findFirst()
                .orElseThrow();
    }

    String id(Run run) {
        return runs.entrySet().stream()
                .filter(entry -> entry.getValue() == run)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** Injects a failure for requests to its path; null removes it. */
    void failing(@Nullable Fault what) {
        fault = what;
    }

    void takesNoArtifacts() {
        takesArtifacts = false;
    }

    private void serve(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        Fault set = fault;
        Fault wrong = set != null && path.endsWith(set.path()) ? set : null;
        requests.add(exchange.getRequestMethod() + " " + path);
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        int status = 200;
        String answer;
        try {
            answer = wrong != null && !wrong.late() ? "" : answer(exchange, path, body);
        } catch (Refused e) {
            status = e.status;
            answer = JSON.createObjectNode()
                    .put("error_code", e.code)
                    .put("message", e.getMessage())
                    .toString();
        }
        if (wrong != null) {
            status = wrong.status();
            answer = wrong.body();
        }
        if (status == 0) {
            hang();
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status == 0 ? 500 : status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static void hang() {
        try {
            new CountDownLatch(1).await(); // until the server is stopped
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized String answer(HttpExchange exchange, String path, byte[] body) throws IOException {
        String artifacts = "/api/2.0/mlflow-artifacts/artifacts/";
        if (path.startsWith(artifacts) && exchange.getRequestMethod().equals("PUT")) {
            return artifact(path.substring(artifacts.length()), body);
        }
        String query = String.valueOf(exchange.getRequestURI().getRawQuery());
        String asked = URLDecoder.decode(
                query.replaceFirst(".*(^|&)(experiment_id|experiment_name|run_id)=", "")
                        .replaceFirst("&.*", ""),
                StandardCharsets.UTF_8);
        JsonNode said = body.length == 0 ? JSON.createObjectNode() : JSON.readTree(body);
        return switch (exchange.getRequestMethod() + " " + path.replaceFirst("^/api/2.0/mlflow/", "")) {
            case "GET experiments/get" -> experiment(asked).toString();
            case "GET experiments/get-by-name" -> experiment(named(asked)).toString();
            case "POST experiments/create" -> create(said.get("name").textValue());
            case "POST runs/create" -> begin(said);
            case "GET runs/get" ->
                JSON.createObjectNode().set("run", info(asked)).toString();
            case "POST runs/update" -> update(said);
            case "POST runs/log-batch" -> batch(said);
            case "POST runs/set-tag" -> {
                active(said)
                        .tags
                        .put(said.get("key").textValue(), said.get("value").textValue());
                yield "{}";
            }
            default -> throw new Refused(404, "ENDPOINT_NOT_FOUND", "no API " + path);
        };
    }

    private String named(String name) {
        return experiments.entrySet().stream()
                .filter(entry -> entry.getValue().name.equals(name))
                .findFirst()
                .orElseThrow(() -> new Refused(404, "RESOURCE_DOES_NOT_EXIST", "no experiment " + name))
                .getKey();
    }

    private JsonNode experiment(String id) {
        Experiment found = experiments.get(id);
        if (found == null) {
            throw new Refused(404, "RESOURCE_DOES_NOT_EXIST", "no experiment with id " + id);
        }
        ObjectNode answer = JSON.createObjectNode();
        answer.putObject("experiment")
                .put("experiment_id", id)
                .put("name", found.name)
                .put("lifecycle_stage", found.stage);
        return answer;
    }

    private String create(String name) {
        if (experiments.values().stream().anyMatch(found -> found.name.equals(name))) {
            throw new Refused(400, "RESOURCE_ALREADY_EXISTS", "experiment " + name + " exists");
        }
        String id = String.valueOf(experiments.size());
        experiment(id, name);
        return JSON.createObjectNode().put("experiment_id", id).toString();
    }

    private String begin(JsonNode said) {
        Run run = new Run();
        run.experiment = said.get("experiment_id").textValue();
        experiment(run.experiment);
        run.name = said.get("run_name").textValue();
        run.started = Long.parseLong(said.get("start_time").textValue());
        tag(run, said.path("tags"));
        String id = String.format("%032x", runs.size() + 1);
        runs.put(id, run);
        return JSON.createObjectNode().set("run", info(id)).toString();
    }

    private Run known(String id) {
        Run run = runs.get(id);
        if (run == null) {
            throw new Refused(404, "RESOURCE_DOES_NOT_EXIST", "Run with id=" + id + " not found");
        }
        return run;
    }

    private Run active(JsonNode said) {
        Run run = known(said.get("run_id").textValue());
        if (!run.stage.equals("active")) {
            throw new Refused(400, "INVALID_PARAMETER_VALUE", "the run must be in 'active' state");
        }
        return run;
    }

    private ObjectNode info(String id) {
        Run run = known(id);
        String artifacts =
                (takesArtifacts ? "mlflow-artifacts:/" : "/srv/mlruns/") + run.experiment + "/" + id + "/artifacts";
        ObjectNode answer = JSON.createObjectNode();
        answer.putObject("info")
                .put("run_id", id)
                .put("run_uuid", id)
                .put("experiment_id", run.experiment)
                .put("status", run.status)
                .put("start_time", run.started)
                .put("lifecycle_stage", run.stage)
                .put("artifact_uri", artifacts)
                .put("a_field_of_later_versions", 1);
        return answer;
    }

    private String update(JsonNode said) {
        Run run = active(said);
        run.status = said.get("status").textValue();
        run.ended = said.has("end_time") ? Long.parseLong(said.get("end_time").textValue()) : run.ended;
        return "{}";
    }

    private String batch(JsonNode said) {
        Run run = active(said);
        limit("metrics", said.path("metrics"), 1000);
        limit("params", said.path("params"), 100);
        limit("tags", said.path("tags"), 100);
        for (JsonNode param : said.path("params")) {
            String key = name(param);
            String value = param.path("value").asText();
            if (value.length() > 500) {
                throw new Refused(400, "INVALID_PARAMETER_VALUE", "value of " + key + " is too long");
            }
            if (!value.equals(run.parameters.getOrDefault(key, value))) {
                throw new Refused(400, "INVALID_PARAMETER_VALUE", "Changing param values is not allowed: " + key);
            }
            run.parameters.put(key, value);
        }
        tag(run, said.path("tags"));
        for (JsonNode metric : said.path("metrics")) {
            long time = Long.parseLong(metric.get("timestamp").textValue());
            if (time < 1_500_000_000_000L || time > System.currentTimeMillis()) {
                throw new Refused(400, "INVALID_PARAMETER_VALUE", "timestamp " + time);
            }
            long step = Long.parseLong(metric.path("step").asText("0"));
            run.add(new Metric(name(metric), metric.path("value").asDouble(), time, step));
        }
        return "{}";
    }

    private static void limit(String what, JsonNode list, int most) {
        if (list.size() > most) {
            throw new Refused(400, "INVALID_PARAMETER_VALUE", "a batch may contain at most " + most + " " + what);
        }
    }

    private static String name(JsonNode entry) {
        String key = entry.get("key").textValue();
        if (!NAME.matcher(key).matches() || key.startsWith("/") || key.contains("//") || key.endsWith("/")) {
            throw new Refused(400, "INVALID_PARAMETER_VALUE", "Invalid name: " + key);
        }
        return key;
    }

    private static void tag(Run run, JsonNode tags) {
        StreamSupport.stream(tags.spliterator(), false)
                .forEach(tag -> run.tags.put(name(tag), tag.path("value").asText()));
    }

    private String artifact(String path, byte[] body) {
        String[] parts = path.split("/", -1);
        if (parts.length != 4 || !parts[2].equals("artifacts")) {
            throw new Refused(400, "INVALID_PARAMETER_VALUE", "Invalid path: " + path);
        }
        known(parts[1]).artifacts.put(parts[3], new String(body, StandardCharsets.UTF_8));
        return "{}";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
