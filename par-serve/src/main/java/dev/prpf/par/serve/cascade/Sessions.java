package dev.prpf.par.serve.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.par.serve.cascade.CascadeSettings.SessionSettings;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.KeyShare;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** All open sessions, by unguessable id. Only the API key that opened a session can use it. Idle sessions expire. */
final class Sessions implements AutoCloseable {
    private static final int ID_BYTES = 24;

    private final SessionSettings settings;
    private final SessionWindow window;
    private final KeyShare memory;
    private final KeyShare count;
    private final LongSupplier clock;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> byId = new HashMap<>();
    private final ScheduledExecutorService timer;
    private final ScheduledFuture<?> expiring;

    /**
     * Creates an empty registry.
     *
     * @param window bounds of each session
     * @param memory bytes that all sessions hold together
     * @param clock in nanoseconds
     */
    Sessions(SessionSettings settings, SessionWindow window, KeyShare memory, LongSupplier clock) {
        this.settings = settings;
        this.window = window;
        this.memory = memory;
        count = new KeyShare(settings.inAll(), memory.reserving());
        this.clock = clock;
        timer = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "sessions");
            thread.setDaemon(true);
            return thread;
        });
        expiring = timer.scheduleWithFixedDelay(this::expire, 1, 1, TimeUnit.SECONDS);
    }

    SessionSettings settings() {
        return settings;
    }

    /**
     * Opens a session for its owner.
     *
     * @throws ApiException 429 if its API key, or all together, have as many as allowed
     */
    synchronized String open(Session.Owner owner, DeviceContext context, PerceivedStream stream) {
        expire();
        long own = byId.values().stream()
                .filter(session -> session.owner().caller().equals(owner.caller()))
                .count();
        if (own >= settings.perCaller() || !count.allows(own, byId.size(), 1)) {
            throw ApiException.overloaded(
                    Duration.ofSeconds(settings.idleTimeout()),
                    own >= settings.perCaller()
                            ? "you have " + own + " sessions, at most " + settings.perCaller()
                                    + " at once; delete one that is done"
                            : "your share of the server's " + settings.inAll() + " sessions is in use, " + byId.size()
                                    + " are open; delete one that is done, or try again later");
        }
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = "session_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Session session = new Session(owner, context, stream, window, this::hold);
        session.usedAt(clock.getAsLong());
        byId.put(id, session);
        return id;
    }

    /**
     * Returns an API key's session and marks it as used.
     *
     * @throws ApiException 404 if it does not exist or belongs to another key
     */
    synchronized Session get(String id, String caller) {
        expire();
        Session session = byId.get(id);
        if (session == null || !session.owner().caller().equals(caller)) {
            throw ApiException.notFound(
                    "id",
                    "unknown_session",
                    "there is no such session; one is forgotten after " + settings.idleTimeout()
                            + " s without a request");
        }
        session.usedAt(clock.getAsLong());
        return session;
    }

    synchronized void close(String id, String caller) {
        get(id, caller);
        byId.remove(id);
    }

    private synchronized void hold(Session session, long bytes) {
        List<Session> others =
                byId.values().stream().filter(other -> other != session).toList();
        long all = others.stream().mapToLong(Session::held).sum();
        long own = others.stream()
                .filter(other -> other.owner().caller().equals(session.owner().caller()))
                .mapToLong(Session::held)
                .sum();
        if (bytes > session.held() && !memory.allows(own, all, bytes)) {
            boolean full = all + bytes > memory.capacity();
            throw ApiException.overloaded(
                    Duration.ofSeconds(settings.idleTimeout()),
                    (full ? "all sessions together" : "your sessions") + " would hold " + (bytes + (full ? all : own))
                            + " bytes, " + (full ? "at most " : "more than a key's share of ") + memory.capacity()
                            + "; delete one that is done, or try again later");
        }
        session.hold(bytes);
    }

    synchronized void forget(String caller, String user) {
        byId.values().removeIf(session -> session.owner().equals(new Session.Owner(caller, user)));
    }

    synchronized int size() {
        return byId.size();
    }

    /** Forgets sessions that were idle for too long. */
    synchronized void expire() {
        long now = clock.getAsLong();
        long limit = Duration.ofSeconds(settings.idleTimeout()).toNanos();
        byId.values().removeIf(session -> !session.busy() && now - session.lastUsed() >= limit);
    }

    @Override
    public void close() {
        expiring.cancel(false);
        timer.shutdownNow();
        synchronized (this) {
            byId.clear();
        }
    }
}
