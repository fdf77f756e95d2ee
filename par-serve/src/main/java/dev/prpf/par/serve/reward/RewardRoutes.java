package dev.prpf.par.serve.reward;

import dev.prpf.par.reward.ConfusionOutcome;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.micrometer.core.instrument.Counter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reward service. Every answer says what it was made with: {@code X-Reward-Version} and {@code X-Reward-Config}, the SHA-256 of constants,
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
    private final Map<String, Counter> rewarded = new HashMap<>();

    /**
     * Serves rewards.
     *
     * @param scorer over the samples that responses may answer
     * @param body reads requests
     */
    public RewardRoutes(
            ResponseScorer scorer, RewardServiceSettings settings, RequestBody body, ServerMetrics metrics) {
        this.scorer = scorer;
        scoring = new Scoring(scorer, settings.maxResponses());
        gate = new ScoringGate(settings);
        this.body = body;
        this.metrics = metrics;
        for (ConfusionOutcome outcome : ConfusionOutcome.values()) {
            count(outcome.name());
        }
        count(MALFORMED);
    }

    /** The paths of a server that has no samples to reward against: each answers 503. */
    public static Routes missing() {
        return routes -> {
            for (String path : List.of(OWN, OPENRLHF, SLIME)) {
                routes.post(path, context -> {
                    throw ApiException.unavailable(null, "this server was started without --gold: it rewards nothing");
                });
            }
        };
    }

    private void count(String quadrant) {
        rewarded.put(
                quadrant,
                Counter.builder("prpf.rewarded.responses")
                        .tag("quadrant", quadrant)
                        .register(metrics.registry()));
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
        List<Scored> scored =
                gate.pass(() -> asked.lines().stream().map(scorer::score).toList());
        scored.forEach(this::count);
        ApiServer.answer(context, 200, asked.answer().apply(scored));
    }

    private void count(Scored scored) {
        ConfusionOutcome outcome = scored.reward().outcome();
        Counter counter = rewarded.get(outcome == null ? MALFORMED : outcome.name());
        if (counter != null) {
            counter.increment();
        }
    }
}
