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
    private final Probe probe;
    private final LongSupplier nanos;
    private final Random random = new Random();
    private final Object probing = new Object();
    private boolean begun;

    /** One server and its state. The fields are guarded by the monitor of {@link Replicas}, {@code checked} by the server's own. */
    private static final class Replica {
        final String url;
        int inProgress;
        int failures;
        long due;
        volatile boolean checked;

        Replica(String url, boolean checked, long due) {
            this.url = url;
            this.checked = checked;
            this.due = due;
        }
    }

    /** Checks that a server is reachable and has the model. */
    @FunctionalInterface
    interface Probe {
        /** @throws IOException if the server is unreachable; any other exception ends the request */
        void look(String url) throws IOException, InterruptedException;
    }

    /** A request and its answer. */
    @FunctionalInterface
    interface Exchange<T> {
        T with(String url) throws IOException, InterruptedException;
    }

    /**
     * Several servers are probed before the first request and after a failure, a single one never.
     *
     * @param policy how long a server that fails gets no requests
     * @param nanos a clock as {@link System#nanoTime}
     */
    Replicas(List<String> urls, Retrier.Policy policy, Probe probe, LongSupplier nanos) {
        this.policy = policy;
        this.probe = probe;
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
                answered(replica);
                return answer;
            } catch (IOException e) {
                failed(replica, e);
                tried.add(replica);
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

    /** Probes all servers in the first request; the others wait for it. */
    private void checkAllOnce() throws InterruptedException {
        synchronized (probing) {
            if (begun) {
                return;
            }
            for (Replica replica : all) {
                try {
                    check(replica);
                } catch (IOException e) {
                    failed(replica, e);
                }
            }
            begun = true;
        }
    }

    private void check(Replica replica) throws IOException, InterruptedException {
        synchronized (replica) { // other requests for this server wait for its probe
            if (!replica.checked) {
                probe.look(replica.url);
                replica.checked = true;
            }
        }
    }

    /** Counts a request to the next server; null when none is left. Where no server is due, the first request goes to the one due soonest. */
    private synchronized @Nullable Replica take(Set<Replica> tried) {
        long now = nanos.getAsLong();
        Comparator<Replica> order = Comparator.comparingLong((Replica replica) -> Math.max(0, replica.due - now))
                .thenComparing(replica -> !replica.checked && replica.inProgress > 0) // another request probes it
                .thenComparingInt(replica -> replica.inProgress);
        Replica chosen = all.stream()
                .filter(replica -> !tried.contains(replica))
                .min(order)
                .filter(replica -> tried.isEmpty() || replica.due - now <= 0)
                .orElse(null);
        if (chosen != null) {
            chosen.inProgress++;
        }
        return chosen;
    }

    private synchronized void release(Replica replica) {
        replica.inProgress--;
    }

    private synchronized void answered(Replica replica) {
        if (replica.due - nanos.getAsLong() <= 0) { // an earlier request's answer does not shorten a wait
            replica.failures = 0;
        }
    }

    private synchronized void failed(Replica replica, IOException failure) {
        if (all.size() == 1 || replica.due - nanos.getAsLong() > 0) {
            return;
        }
        Duration wait = policy.wait(replica.failures, retryAfter(failure), random);
        LOG.warn(
                "{}: {}; the other servers get its requests for {} s",
                replica.url,
                Retrier.reason(failure),
                wait.toMillis() / 1000.0);
        replica.checked = false;
        replica.failures++;
        replica.due = nanos.getAsLong() + wait.toNanos();
    }
}
