package dev.prpf.par.openai;

import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.Retrier;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of one model. Each request goes to the server with the fewest requests in progress, ties in their order. A server that fails gets
 * none for a while, which doubles with each failure in a row, or for the wait that it asks for. Thread-safe.
 */
final class Replicas {
    private static final Logger LOG = LoggerFactory.getLogger(Replicas.class);

    private final List<Replica> all;
    private final Retrier.Policy policy;
    private final Exchange<?> check;
    private final LongSupplier nanos;
    private final Random random = new Random();
    private final Object first = new Object();
    private boolean begun;

    /** One server and its state, guarded by the monitor of {@link Replicas}. */
    private static final class Replica {
        final String url;
        volatile boolean checked;
        int inProgress;
        int failures;
        long due;

        Replica(String url, boolean checked, long due) {
            this.url = url;
            this.checked = checked;
            this.due = due;
        }
    }

    /** A request to one server. Other exceptions than {@link IOException} end it for all servers. */
    @FunctionalInterface
    interface Exchange<T> {
        T with(String url) throws IOException, InterruptedException;
    }

    /**
     * Several servers are checked before the first request, and a server that was down then before its own first. A single one is not checked.
     *
     * @param policy how long a server that fails gets no requests
     * @param check requests a server's models
     * @param nanos a clock as {@link System#nanoTime}
     */
    Replicas(List<String> urls, Retrier.Policy policy, Exchange<?> check, LongSupplier nanos) {
        this.policy = policy;
        this.check = check;
        this.nanos = nanos;
        long now = nanos.getAsLong();
        all = urls.stream().map(url -> new Replica(url, urls.size() == 1, now)).toList();
    }

    /**
     * Sends a request to one server and, where that fails, once to each other server that is due.
     *
     * @throws IOException the failure after which a retry may come soonest, if all of them failed
     */
    <T> T ask(Exchange<T> exchange) throws IOException, InterruptedException {
        checkAllOnce();
        Set<Replica> tried = new HashSet<>();
        IOException failure = null;
        for (Replica replica = take(tried); replica != null; replica = take(tried)) {
            try {
                check(replica);
                T answer = exchange.with(replica.url);
                ended(replica, null);
                return answer;
            } catch (IOException e) {
                ended(replica, e);
                failure = failure == null || pause(e).compareTo(pause(failure)) < 0 ? e : failure;
            } finally {
                release(replica);
            }
        }
        throw Objects.requireNonNull(failure);
    }

    private static Duration pause(IOException failure) {
        return Objects.requireNonNullElse(retryAfter(failure), Duration.ZERO);
    }

    private static @Nullable Duration retryAfter(IOException failure) {
        return failure instanceof BusyException busy ? busy.retryAfter() : null;
    }

    /** Checks all servers in the first request; the others wait for it. */
    private void checkAllOnce() throws InterruptedException {
        synchronized (first) {
            for (Replica replica : begun ? List.<Replica>of() : all) {
                try {
                    check(replica);
                } catch (IOException e) {
                    ended(replica, e);
                }
            }
            begun = true;
        }
    }

    private void check(Replica replica) throws IOException, InterruptedException {
        if (!replica.checked) {
            check.with(replica.url);
            replica.checked = true;
        }
    }

    /** Counts a request to the next server; null when none is left. Where no server is due, the first request goes to the one due soonest. */
    private synchronized @Nullable Replica take(Set<Replica> tried) {
        long now = nanos.getAsLong();
        Replica next = all.stream()
                .filter(replica -> !tried.contains(replica) && (tried.isEmpty() || replica.due - now <= 0))
                .min(Comparator.comparingLong((Replica replica) -> Math.max(0, replica.due - now))
                        .thenComparingInt(replica -> replica.inProgress))
                .orElse(null);
        if (next != null) {
            next.inProgress++;
            tried.add(next);
        }
        return next;
    }

    private synchronized void release(Replica replica) {
        replica.inProgress--;
    }

    private synchronized void ended(Replica replica, @Nullable IOException failure) {
        if (all.size() == 1 || replica.due - nanos.getAsLong() > 0) {
            return; // an earlier request's end does not change a wait
        }
        if (failure == null) {
            replica.failures = 0;
            return;
        }
        Duration wait = policy.wait(replica.failures, retryAfter(failure), random);
        LOG.warn(
                "{}: {}; the other servers get its requests for {} s",
                replica.url,
                Retrier.reason(failure),
                wait.toMillis() / 1000.0);
        replica.failures++;
        replica.due = nanos.getAsLong() + wait.toNanos();
    }
}
