package dev.prpf.par.serve.reward;

import dev.prpf.base.config.Rule;
import dev.prpf.par.reward.ResponseScorer;
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
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

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
}
