package dev.prpf.par.serve.http;

import dev.prpf.base.json.JsonRecords;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The gate before all handlers. Counts requests until the last byte of their answers, streamed answers too. Answers /health and /ready itself, independent of
 * other handlers. Refuses (503) requests that would take the last threads, or more than a key's share of threads. Requests without a key get at most
 * an eighth. The gate's own answers hold no thread, however slowly a client reads.
 */
final class RequestGate extends Handler.Wrapper {
    /** Threads reserved for Jetty, to accept, read and refuse requests. */
    static final int RESERVED = 8;

    private static final int SHARE_OF_STRANGERS = 8;
    private static final String STRANGER = ""; // no key has this name
    private static final Duration SOON = Duration.ofSeconds(2);

    private final long mostUnread;
    private final ApiKeys keys;
    private final ServerMetrics metrics;
    private final BodyMemory memory;
    private final BooleanSupplier draining;
    private final BooleanSupplier works;
    private final KeyQuota threads;
    private final KeyQuota strangers;

    /** @param works whether the loaded components still work */
    RequestGate(
            HttpSettings settings,
            ApiKeys keys,
            ServerMetrics metrics,
            BooleanSupplier draining,
            BooleanSupplier works) {
        int most = settings.threads() - RESERVED;
        threads = new KeyQuota(new KeyShare(most, keys.several()));
        strangers = new KeyQuota(new KeyShare(Math.max(1, most / SHARE_OF_STRANGERS), false));
        mostUnread = settings.maxBodyBytes();
        this.keys = keys;
        this.metrics = metrics;
        memory = BodyMemory.ofHeap(keys.several());
        this.draining = draining;
        this.works = works;
    }

    /** Returns the number of requests in progress, without /health and /ready. */
    int active() {
        return Math.toIntExact(threads.held());
    }

    private record Status(String status) {}

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = request.getHttpURI().getPath();
        boolean reads = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        if (reads && path.equals("/health")) {
            return answer(response, 200, new Status("ok"), callback);
        }
        if (reads && path.equals("/ready")) {
            boolean takes = !draining.getAsBoolean() && works.getAsBoolean();
            String status = takes ? "ready" : draining.getAsBoolean() ? "draining" : "failed";
            return answer(response, takes ? 200 : 503, new Status(status), callback);
        }
        String caller = keys.callerOf(request.getHeaders().get(HttpHeader.AUTHORIZATION));
        return pass(caller == null ? STRANGER : caller, request, response, callback);
    }

    private boolean enter(String caller) {
        boolean stranger = caller.equals(STRANGER);
        if (stranger && !strangers.acquire(caller, 1)) {
            return false;
        }
        boolean entered = threads.acquire(caller, 1);
        if (stranger && !entered) {
            strangers.release(caller, 1);
        }
        return entered;
    }

    private void leave(String caller) {
        threads.release(caller, 1);
        if (caller.equals(STRANGER)) {
            strangers.release(caller, 1);
        }
    }

    private boolean pass(String caller, Request request, Response response, Callback callback) throws Exception {
        if (!enter(caller)) {
            metrics.refused(caller);
            response.getHeaders().put(HttpHeader.RETRY_AFTER, SOON.toSeconds());
            if (request.getLength() != 0) {
                response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE); // the body is not read
            }
            ApiException refusal =
                    ApiException.unavailable(SOON, "all handlers, or the share of one key, are busy; try again later");
            Callback answered =
                    Callback.from(() -> LingeringClose.end(request, mostUnread, callback), callback::failed);
            return answer(response, refusal.status(), refusal.body(), answered);
        }
        BodyMemory.Share share = memory.share(caller);
        request.setAttribute(BodyMemory.Share.class.getName(), share);
        Runnable ended = () -> {
            share.release();
            leave(caller);
        };
        Callback answered = Callback.from(
                () -> {
                    ended.run();
                    LingeringClose.end(request, mostUnread, callback);
                },
                e -> {
                    ended.run();
                    callback.failed(e);
                });
        boolean handled = false;
        try {
            handled = super.handle(request, response, answered);
            return handled;
        } finally {
            if (!handled) {
                ended.run();
            }
        }
    }

    private static boolean answer(Response response, int status, Object record, Callback callback) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        Content.Sink.write(response, true, JsonRecords.write(record), callback);
        return true;
    }
}
