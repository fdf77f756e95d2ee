package dev.prpf.par.serve.http;

import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The gate before all handlers. Counts requests until the last byte of their answers, streamed answers too. Answers /health and /ready itself, independent of
 * other handlers. Refuses (503) requests that would take the last threads, or more than a key's share of threads. Requests without a key get at most
 * an eighth. The gate's own answers hold no thread, however slowly a client reads.
 */
final class RequestGate extends Handler.Wrapper {
    /** Threads reserved for Jetty, to accept, read and refuse requests. */
    static final int RESERVED = 8;

    /** Replies that may wait without a thread, for each handler; further ones keep their place among the handlers. */
    static final int WAITING_PER_HANDLER = 16;

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
    private final KeyQuota waiting;

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
        waiting = new KeyQuota(new KeyShare((long) WAITING_PER_HANDLER * most, keys.several()));
        mostUnread = settings.maxBodyBytes();
        this.keys = keys;
        this.metrics = metrics;
        memory = BodyMemory.ofHeap(keys.several());
        this.draining = draining;
        this.works = works;
    }

    /** Returns the number of requests in progress, without /health and /ready. Replies that wait without a thread count. */
    int active() {
        long handled = threads.held(); // read first, so that no reply that begins to wait is missed
        return Math.toIntExact(handled + waiting.held());
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
        Place place = new Place(caller);
        request.setAttribute(BodyMemory.Share.class.getName(), place.share);
        Runnable leaving = place::leave;
        request.setAttribute(ApiServer.LEAVE, leaving);
        Callback answered = Callback.from(
                () -> {
                    place.end();
                    LingeringClose.end(request, mostUnread, callback);
                },
                e -> {
                    place.end();
                    callback.failed(e);
                });
        boolean handled = false;
        try {
            handled = super.handle(request, response, answered);
            return handled;
        } finally {
            if (!handled) {
                place.end();
            }
        }
    }

    /** The place and the memory of one request, from its admission to the last byte of its answer. */
    private final class Place {
        private final String caller;
        private final BodyMemory.Share share;
        private boolean inside = true;
        private boolean waits;

        Place(String caller) {
            this.caller = caller;
            share = memory.share(caller);
        }

        /** Lets the reply wait without a thread and without the body; if too many wait, it keeps both. */
        synchronized void leave() {
            if (inside && waiting.acquire(caller, 1)) {
                waits = true;
                release();
            }
        }

        synchronized void end() {
            release();
            if (waits) {
                waits = false;
                waiting.release(caller, 1);
            }
        }

        private void release() {
            share.release();
            if (inside) {
                inside = false;
                RequestGate.this.leave(caller);
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

    /**
     * Closes a connection that was answered before its body was read, like nginx's {@code lingering_close}. Reads and drops the client's remaining bytes
     * for up to five seconds. Closing with unread bytes would reset the connection, and a reset can drop the answer. Holds no thread while waiting.
     */
    static final class LingeringClose implements Callback {
        private static final long SECONDS = 5;
        private static final int BLOCK = 1 << 14;
        private static final int BLOCKS = 16; // per call, then other connections have their turn

        private final EndPoint endPoint;
        private final Callback then;
        private final Scheduler.Task late;
        private final ByteBuffer block = BufferUtil.allocate(BLOCK);
        private long left;

        private LingeringClose(ConnectionMetaData connection, long most, Callback then) {
            endPoint = connection.getConnection().getEndPoint();
            left = most;
            this.then = then;
            late = connection.getConnector().getScheduler().schedule(endPoint::close, SECONDS, TimeUnit.SECONDS);
        }

        /**
         * Ends an answered request.
         *
         * @param most bytes to drop
         * @param then closes the connection if it does not persist
         */
        static void end(Request request, long most, Callback then) {
            if (request.getConnectionMetaData().isPersistent() || isRead(request)) {
                then.succeeded();
                return;
            }
            new LingeringClose(request.getConnectionMetaData(), most, then).succeeded();
        }

        private static boolean isRead(Request request) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                return false;
            }
            chunk.release();
            return chunk.isLast() && !Content.Chunk.isFailure(chunk);
        }

        @Override
        public void succeeded() {
            try {
                int read = 1;
                for (int i = 0; i < BLOCKS && read > 0 && left > 0; i++) {
                    BufferUtil.clear(block);
                    read = endPoint.fill(block);
                    left -= read;
                }
                // not where Jetty itself still waits for a body that was too slow
                if (read >= 0 && left > 0 && endPoint.tryFillInterested(this)) {
                    return;
                }
            } catch (IOException e) {
                // the client disconnected
            }
            end();
        }

        /** Called when the client disconnected or the time is over. */
        @Override
        public void failed(Throwable e) {
            end();
        }

        private void end() {
            late.cancel();
            then.succeeded();
        }
    }
}
