package dev.prpf.par.serve.reward;

import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.reward.RewardRoutes.RewardServiceSettings;
import java.time.Duration;
import java.util.function.Supplier;

/** Lets one request per core score at a time; API keys take turns. */
final class ScoringGate {
    private static final Duration SOON = Duration.ofSeconds(1);

    private final FairGate gate;

    ScoringGate(RewardServiceSettings settings, ServerMetrics metrics) {
        int cores = Runtime.getRuntime().availableProcessors();
        int places = settings.concurrency() == 0 ? cores : settings.concurrency();
        int seconds = settings.queueTimeout();
        gate = new FairGate(
                new FairGate.Limits(metrics.share(places), Integer.MAX_VALUE, Duration.ofSeconds(seconds)),
                () -> ApiException.overloaded(
                        SOON,
                        "the reward service did not begin this request within " + seconds + " s; send fewer at once"));
    }

    /**
     * Runs work when its turn comes.
     *
     * @param waiting called now and then during the wait; throws if the client disconnected
     * @throws ApiException 429 if its turn does not come in time
     */
    <T> T pass(String caller, Runnable waiting, Supplier<T> work) {
        return gate.turn(caller, waiting, work);
    }
}
