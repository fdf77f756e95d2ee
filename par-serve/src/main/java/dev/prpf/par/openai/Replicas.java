package dev.prpf.par.openai;

import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.Retrier;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of one model, and which of them is asked next: of those that are up the one with the fewest requests under way, ties in their
 * order ("join the shortest queue"). One that fails is out for the wait that it asks for, else for a while that doubles with each failure in a
 * row; then the next request has it looked at first. Where none is up, the one that comes back first is asked. With a single server all of
 * this is without effect. Used by several threads at once.
 */
final class Replicas {
    private static final Logger LOG = LoggerFactory.getLogger(Replicas.class);

    private final List<Replica> all;
    private final Retrier.Policy policy;
    private final Probe probe;
    private final LongSupplier nanos;
    private final Random random = new Random();

    /** Guarded by the replicas' monitor. */
    private static final class Replica {
        final String url;
        boolean up;
        boolean looking;
        /** It asked to be left alone for a time, so an answer of before does not bring it back. */
        boolean resting;

        int under;
        int failures;
        long due;

        Replica(String url, boolean up, long due) {
            this.url = url;
            this.up = up;
            this.due = due;
        }
    }

    /** Looks whether a server is there and has the model. */
    @FunctionalInterface
    interface Probe {
        /** @throws IOException while it is not; anything else that is thrown ends the request that had it looked at */
        void look(String url) throws IOException, InterruptedException;
    }

    /** A request and its answer. */
    @FunctionalInterface
    interface Exchange<T> {
        T with(String url) throws IOException, InterruptedException;
    }

    /**
     * The servers at these addresses. Several are looked at before their first request.
     *
     * @param policy how long one that fails is out
     * @param nanos a clock as {@link System#nanoTime}
     */
    Replicas(List<String> urls, Retrier.Policy policy, Probe probe, LongSupplier nanos) {
        this.policy = policy;
        this.probe = probe;
        this.nanos = nanos;
        long now = nanos.getAsLong();
        this.all = urls.stream()
                .map(url -> new Replica(url, urls.size() == 1, now))
                .toList();
    }

    /**
     * Asks one server, and where it fails each other one that is up, once.
     *
     * @throws IOException the failure after which an attempt may come soonest, if all failed that were asked
     */
    <T> T ask(Exchange<T> exchange) throws IOException, InterruptedException {
        Set<Replica> tried = new HashSet<>();
        IOException failure = null;
        for (Replica replica = next(tried); replica != null; replica = next(tried)) {
            try {
                T answer = exchange.with(replica.url);
                back(replica, false);
                return answer;
            } catch (IOException e) {
                out(replica, e);
                tried.add(replica);
                failure = failure == null || pause(e).compareTo(pause(failure)) < 0 ? e : failure;
            } finally {
                release(replica);
            }
        }
        throw Objects.requireNonNull(failure);
    }

    private static Duration pause(IOException failure) {
        Duration asked = retryAfter(failure);
        return asked == null ? Duration.ZERO : asked;
    }

    private static @Nullable Duration retryAfter(IOException failure) {
        return failure instanceof BusyException busy ? busy.retryAfter() : null;
    }

    private @Nullable Replica next(Set<Replica> tried) throws InterruptedException {
        for (Replica due = claim(tried); due != null; due = claim(tried)) {
            look(due);
        }
        return take(tried);
    }

    /** One that is out and due, to be looked at by the caller alone; null when there is none. */
    private synchronized @Nullable Replica claim(Set<Replica> tried) {
        for (Replica replica : all) {
            if (!replica.up && !replica.looking && isDue(replica) && !tried.contains(replica)) {
                replica.looking = true;
                return replica;
            }
        }
        return null;
    }

    private boolean isDue(Replica replica) {
        return replica.due - nanos.getAsLong() <= 0;
    }

    private void look(Replica replica) throws InterruptedException {
        try {
            probe.look(replica.url);
            back(replica, true);
        } catch (IOException e) {
            out(replica, e);
        } finally {
            looked(replica);
        }
    }

    private synchronized void looked(Replica replica) {
        replica.looking = false;
        notifyAll();
    }

    /** The server to ask, its request counted; waits for those that are being looked at where none is up. Null when none is left. */
    private synchronized @Nullable Replica take(Set<Replica> tried) throws InterruptedException {
        while (true) {
            List<Replica> left =
                    all.stream().filter(replica -> !tried.contains(replica)).toList();
            Optional<Replica> free =
                    left.stream().filter(replica -> replica.up).min(Comparator.comparingInt(replica -> replica.under));
            if (free.isEmpty() && left.stream().anyMatch(replica -> replica.looking)) {
                wait();
                continue;
            }
            Replica chosen = free.orElse(tried.isEmpty() ? soonest(left) : null);
            if (chosen != null) {
                chosen.under++;
            }
            return chosen;
        }
    }

    private Replica soonest(List<Replica> left) {
        long now = nanos.getAsLong();
        return left.stream()
                .min(Comparator.comparingLong(replica -> replica.due - now))
                .orElseThrow();
    }

    private synchronized void release(Replica replica) {
        replica.under--;
    }

    /** It answered; {@code looked} when it was due: then it rests no longer, but only a request's answer says that it works. */
    private synchronized void back(Replica replica, boolean looked) {
        replica.resting &= !looked;
        if (!replica.up && !replica.resting) {
            if (replica.failures > 0) {
                LOG.info("{} is there again and gets requests", replica.url);
            }
            replica.up = true;
            notifyAll();
        }
        if (!looked && replica.up) {
            replica.failures = 0;
        }
    }

    /** It failed. What was under way there when it went out before says nothing new. */
    private synchronized void out(Replica replica, IOException failure) {
        if (all.size() == 1 || (!replica.up && !isDue(replica))) {
            return;
        }
        Duration wait = policy.wait(replica.failures, retryAfter(failure), random);
        if (replica.up || replica.failures == 0) {
            LOG.warn(
                    "{}: {}; the other servers get its requests, it is looked at again in {} s",
                    replica.url,
                    Retrier.reason(failure),
                    wait.toMillis() / 1000.0);
        }
        replica.up = false;
        replica.resting = retryAfter(failure) != null;
        replica.failures++;
        replica.due = nanos.getAsLong() + wait.toNanos();
        notifyAll();
    }
}
