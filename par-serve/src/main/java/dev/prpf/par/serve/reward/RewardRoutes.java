package dev.prpf.par.serve.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.ResponseScorer.RewardLine;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.reward.Scoring.Asked;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the reward service. Every answer has headers {@code X-Reward-Version} and {@code X-Reward-Config}, the SHA-256 of constants,
 * pool and form.
 */
public final class RewardRoutes implements Routes {
    private static final String OWN = "/v1/reward";
    private static final String OPENRLHF = "/get_reward";
    private static final String SLIME = "/slime";
    private static final String MALFORMED = "malformed";
    private static final Duration SOON = Duration.ofSeconds(1);

    private final ResponseScorer scorer;
    private final Scoring scoring;
    private final FairGate gate;
    private final RequestBody body;
    private final ServerMetrics metrics;

    /**
     * Creates the reward routes.
     *
     * @param scorer over the samples that responses may answer
     * @param body reads requests
     */
    public RewardRoutes(
            ResponseScorer scorer, RewardServiceSettings settings, RequestBody body, ServerMetrics metrics) {
        this.scorer = scorer;
        scoring = new Scoring(scorer, settings.maxResponses());
        gate = gate(settings, metrics);
        this.body = body;
        this.metrics = metrics;
        for (ConfusionOutcome outcome : ConfusionOutcome.values()) {
            counter(metrics.registry(), outcome.name());
        }
        counter(metrics.registry(), MALFORMED);
    }

    /** Returns the routes of a server without reward samples: each answers 503. */
    public static Routes missing() {
        String why = "this server was started without --gold: it rewards nothing";
        return Routes.missing(why, "POST " + OWN, "POST " + OPENRLHF, "POST " + SLIME);
    }

    /** Makes the gate that lets one request per core score at a time; API keys take turns. */
    static FairGate gate(RewardServiceSettings settings, ServerMetrics metrics) {
        int seconds = settings.queueTimeout();
        int places = settings.concurrency() == 0 ? Runtime.getRuntime().availableProcessors() : settings.concurrency();
        return new FairGate(
                new FairGate.Limits(metrics.share(places), Integer.MAX_VALUE, Duration.ofSeconds(seconds)),
                new FairGate.Refusals(() -> ApiException.overloaded(
                        SOON,
                        "the reward service did not begin this request within " + seconds + " s; send fewer at once")));
    }

    private static Counter counter(MeterRegistry registry, String quadrant) {
        return Counter.builder("prpf.rewarded.responses")
                .tag("quadrant", quadrant)
                .register(registry);
    }

    @Override
    public void add(RoutesConfig routes) {
        add(routes, OWN, new OwnProtocol(scoring, item -> metrics.ignored(OWN, item))::read);
        add(routes, OPENRLHF, new OpenRlhfProtocol(scoring)::read);
        add(routes, SLIME, new SlimeProtocol(scoring)::read);
    }

    private void add(RoutesConfig routes, String path, Function<RequestFields, Scoring.Asked> protocol) {
        routes.post(path, context -> answer(context, path, protocol));
    }

    private void answer(Context context, String path, Function<RequestFields, Scoring.Asked> protocol) {
        context.header("X-Reward-Version", String.valueOf(ResponseScorer.VERSION));
        context.header("X-Reward-Config", scorer.configuration());
        RequestFields fields = body.fields(context);
        Scoring.Asked asked = protocol.apply(fields);
        metrics.ignored(path, fields);
        String caller = ApiServer.caller(context);
        List<Scored> scored = gate.turn(caller, new ClientConnection(context)::requireOpen, () -> asked.lines().stream()
                .map(scorer::score)
                .toList());
        scored.forEach(one -> count(caller, one));
        ApiServer.answer(context, 200, asked.answer().apply(scored));
    }

    private void count(String caller, Scored scored) {
        ConfusionOutcome outcome = scored.reward().outcome();
        counter(metrics.of(caller), outcome == null ? MALFORMED : outcome.name())
                .increment();
    }

    /**
     * Limits of concurrent rewards: the {@code reward:} section of configs/serve.yaml.
     *
     * @param concurrency requests that are scored at a time; 0 for one per core
     * @param maxResponses maximum responses of a request; more are refused (413)
     * @param queueTimeout seconds that a request may wait for its turn; longer: 429
     */
    public record RewardServiceSettings(int concurrency, int maxResponses, int queueTimeout) {
        public RewardServiceSettings {
            Rule.require(concurrency >= 0, "concurrency", concurrency, "at least 0");
            Rule.require(maxResponses >= 1, "max-responses", maxResponses, "at least 1");
            Rule.require(queueTimeout >= 1, "queue-timeout", queueTimeout, "at least 1");
        }
    }

    /**
     * Answers our own reward requests: maps {@code {"items": [{"id", "response"} or {"id", "calls"}]}} to {@code {"items": [output of reasoner
     * reward]}}.
     *
     * @param ignored receives each item after it was read, to count ignored fields
     */
    record OwnProtocol(Scoring scoring, Consumer<RequestFields> ignored) {
        private record Answer(List<RewardLine> items) {}

        Asked read(RequestFields fields) {
            fields.required("items");
            scoring.requireFew("items", fields.list("items").size());
            List<ResponseLine> lines = new ArrayList<>();
            for (RequestFields item : fields.objects("items")) {
                lines.add(line(item));
                ignored.accept(item);
            }
            return new Asked(
                    lines,
                    scored -> new Answer(scored.stream().map(RewardLine::of).toList()));
        }

        private ResponseLine line(RequestFields item) {
            String id = scoring.known(item.path("id"), item.requiredText("id"));
            String response = item.text("response");
            JsonNode calls = item.json("calls");
            if ((response == null) == (calls == null)) {
                String path = item.path("response");
                throw ApiException.invalid(
                        path, path + ": an item has one of \"response\" and \"calls\", this has " + has(response));
            }
            return calls == null ? new ResponseLine(id, response, null) : calls(item, id, calls);
        }

        private static String has(@Nullable String response) {
            return response == null ? "neither" : "both";
        }

        private static ResponseLine calls(RequestFields item, String id, JsonNode calls) {
            try {
                return new ResponseLine(id, null, FunctionCallJson.readSequences(calls));
            } catch (PrpfException e) {
                throw ApiException.invalid(item.path("calls"), item.path("calls") + ": " + e.getMessage());
            }
        }
    }

    /**
     * Answers the reward requests of slime and miles ({@code --rm-type remote_rm}): {@code {"prompt", "response", "label"}} to the reward as a bare
     * number. Lists of responses and labels give a list of numbers. The label names the sample; the prompt is not needed.
     */
    record SlimeProtocol(Scoring scoring) {
        private static final String RESPONSE = "response";
        private static final String LABEL = "label";

        Asked read(RequestFields fields) {
            fields.json("prompt");
            JsonNode response = fields.required(RESPONSE);
            JsonNode label = fields.required(LABEL);
            if (!response.isArray()) {
                ResponseLine line = line(RESPONSE, response, LABEL, label);
                return new Asked(List.of(line), scored -> totals(scored).get(0));
            }
            List<JsonNode> responses = fields.list(RESPONSE);
            List<JsonNode> labels = fields.list(LABEL);
            scoring.requireFew(RESPONSE, responses.size());
            Scoring.requireAligned(LABEL, labels, RESPONSE, responses.size());
            List<ResponseLine> lines = new ArrayList<>();
            for (int i = 0; i < responses.size(); i++) {
                String at = "[" + i + "]";
                lines.add(line(RESPONSE + at, responses.get(i), LABEL + at, labels.get(i)));
            }
            return new Asked(lines, SlimeProtocol::totals);
        }

        /** @throws ApiException 400 naming the invalid field */
        private ResponseLine line(String path, JsonNode response, String labelPath, JsonNode label) {
            String text = TrainerResponse.withoutControl(Scoring.text(path, response));
            return new ResponseLine(scoring.labelled(labelPath, label), text, null);
        }

        private static List<Double> totals(List<Scored> scored) {
            return scored.stream().map(one -> one.reward().total()).toList();
        }
    }

    /**
     * Answers the reward requests of OpenRLHF 0.10 and 0.11 ({@code --reward.remote_url}): {@code {"query": [prompt and response], "prompts": […],
     * "labels": […]}} to {@code {"rewards": […], "scores": […], "extra_logs": {term: […]}}}. A label names the sample. Scores are a response's
     * correctness in [0, 1], by which OpenRLHF filters groups. With several servers OpenRLHF sends empty lists to all but one; the answer then has empty
     * lists.
     */
    record OpenRlhfProtocol(Scoring scoring) {
        private static final String QUERY = "query";
        private static final String PROMPTS = "prompts";
        private static final String LABELS = "labels";

        private record RewardLists(List<Double> rewards, List<Double> scores, Map<String, List<Double>> extraLogs) {}

        Asked read(RequestFields fields) {
            fields.required(QUERY);
            fields.required(LABELS);
            List<JsonNode> queries = fields.list(QUERY);
            List<JsonNode> prompts = fields.list(PROMPTS);
            List<JsonNode> labels = fields.list(LABELS);
            scoring.requireFew(QUERY, queries.size());
            Scoring.requireAligned(LABELS, labels, QUERY, queries.size());
            if (fields.json(PROMPTS) != null) {
                Scoring.requireAligned(PROMPTS, prompts, QUERY, queries.size());
            }
            List<ResponseLine> lines = new ArrayList<>();
            for (int i = 0; i < queries.size(); i++) {
                String at = "[" + i + "]";
                String prompt = prompts.isEmpty() ? "" : Scoring.text(PROMPTS + at, prompts.get(i));
                String query = Scoring.text(QUERY + at, queries.get(i));
                String id = scoring.labelled(LABELS + at, labels.get(i));
                lines.add(new ResponseLine(id, TrainerResponse.afterPrompt(query, prompt, QUERY + at), null));
            }
            return new Asked(lines, OpenRlhfProtocol::answer);
        }

        private static RewardLists answer(List<Scored> scored) {
            List<Double> rewards = new ArrayList<>();
            List<Double> scores = new ArrayList<>();
            Map<String, List<Double>> logs = new LinkedHashMap<>();
            for (Scored one : scored) {
                rewards.add(one.reward().total());
                scores.add(one.reward().correctness());
                one.reward().terms().forEach((term, value) -> log(logs, term, value));
                log(logs, "malformed", one.fault() == null ? 0 : 1);
            }
            return new RewardLists(rewards, scores, logs);
        }

        private static void log(Map<String, List<Double>> logs, String name, double value) {
            logs.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
        }
    }
}
