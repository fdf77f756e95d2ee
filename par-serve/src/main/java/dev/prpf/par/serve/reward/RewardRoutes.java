package dev.prpf.par.serve.reward;

import dev.prpf.base.config.Rule;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/**
 * The routes of the reward service. Every answer has headers {@code X-Reward-Version} and {@code X-Reward-Config}, the SHA-256 of constants,
 * pool and form.
 */
public final class RewardRoutes implements Routes {
    private static final String OWN = "/v1/reward";
    private static final String OPENRLHF = "/get_reward";
    private static final String SLIME = "/slime";
    private static final String MALFORMED = "malformed";

    private final ResponseScorer scorer;
    private final Scoring scoring;
    private final ScoringGate gate;
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
        gate = new ScoringGate(settings, metrics);
        this.body = body;
        this.metrics = metrics;
        for (ConfusionOutcome outcome : ConfusionOutcome.values()) {
            counter(metrics.registry(), outcome.name());
        }
        counter(metrics.registry(), MALFORMED);
    }

    /** Returns the routes of a server without reward samples: each answers 503. */
    public static Routes missing() {
        return routes -> {
            for (String path : List.of(OWN, OPENRLHF, SLIME)) {
                routes.post(path, context -> {
                    throw ApiException.unavailable(null, "this server was started without --gold: it rewards nothing");
                });
            }
        };
    }

    private static Counter counter(MeterRegistry registry, String quadrant) {
        return Counter.builder("prpf.rewarded.responses")
                .tag("quadrant", quadrant)
                .register(registry);
    }

    @Override
    public void add(RoutesConfig routes) {
        add(routes, OWN, new OwnProtocol(scoring, item -> metrics.ignored(OWN, item)));
        add(routes, OPENRLHF, new OpenRlhfProtocol(scoring));
        add(routes, SLIME, new SlimeProtocol(scoring));
    }

    private void add(RoutesConfig routes, String path, RewardProtocol protocol) {
        routes.post(path, context -> answer(context, path, protocol));
    }

    private void answer(Context context, String path, RewardProtocol protocol) {
        context.header("X-Reward-Version", String.valueOf(ResponseScorer.VERSION));
        context.header("X-Reward-Config", scorer.configuration());
        RequestFields fields = body.fields(context);
        RewardProtocol.Asked asked = protocol.read(fields);
        metrics.ignored(path, fields);
        String caller = ApiServer.caller(context);
        List<Scored> scored = gate.pass(caller, new ClientConnection(context)::requireOpen, () -> asked.lines().stream()
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
}
