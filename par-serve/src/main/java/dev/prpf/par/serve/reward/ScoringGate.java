package dev.prpf.par.serve.reward;

import dev.prpf.par.serve.http.ApiException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Lets as many requests score at once as there are cores, the others wait in order. */
final class ScoringGate {
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Semaphore places;
    private final int seconds;

    ScoringGate(RewardServiceSettings settings) {
        int cores = Runtime.getRuntime().availableProcessors();
        places = new Semaphore(settings.concurrency() == 0 ? cores : settings.concurrency(), true);
        seconds = settings.queueTimeout();
    }

    /** Does the work when its turn comes. @throws ApiException 429 if it does not come in time */
    <T> T pass(Supplier<T> work) {
        try {
            if (!places.tryAcquire(seconds, TimeUnit.SECONDS)) {
                throw ApiException.overloaded(
                        SOON,
                        "the reward service did not get to this request in " + seconds + " s; send fewer at once");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable(SOON, "the server is shutting down");
        }
        try {
            return work.get();
        } finally {
            places.release();
        }
    }
}
