package dev.prpf.par.serve.http;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Small routes for tests, each of which does one thing that routes do. */
final class HostileRoutes {
    static final String SECRET = "what-the-screen-said";

    /** One of these is released when a handler began to wait. */
    final Semaphore waiting = new Semaphore(0);

    /** Opens for handlers that wait. */
    final CountDownLatch goOn = new CountDownLatch(1);

    /** Completes for replies that wait without a thread. */
    final CompletableFuture<Void> due = new CompletableFuture<>();

    /** Number of polls of the connection by /poll. */
    final AtomicInteger polls = new AtomicInteger();

    /** Opens when a streaming handler saw that its client is gone. */
    final CountDownLatch gone = new CountDownLatch(1);

    /** Small limits that tests reach soon. They are a body of 1 MiB, 8 levels, 4 KiB of headers, 16 threads, 1 s without a byte. */
    static final HttpSettings SMALL = new HttpSettings(1, 8, 4, 1000, 2, 16, 1, 1000, 20, List.of());

    ApiServer start(ApiKeys keys) {
        ApiServer.Place place = new ApiServer.Place("127.0.0.1", 0, keys);
        return ApiServer.start(place, SMALL, new ServerMetrics(keys), List.of(routes()), () -> true);
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private record Said(String said, long whole, double number) {}

    private Routes routes() {
        RequestBody body = new RequestBody(SMALL);
        return routes -> {
            routes.post("/echo", context -> {
                RequestFields fields = body.fields(context);
                Long whole = fields.integer("whole", -5, Long.MAX_VALUE);
                double number = fields.number("number", 0, 2, 1);
                ApiServer.answer(context, 200, new Said(fields.requiredText("say"), whole == null ? 0 : whole, number));
            });
            routes.post("/held", context -> {
                RequestFields fields = body.fields(context);
                fields.json("more");
                ApiServer.answer(context, 200, Map.of("held", String.valueOf(fields.embedded("json", "JSON"))));
            });
            routes.post("/full", context -> {
                throw ApiException.overloaded(Duration.ofSeconds(2), "the queue is full");
            });
            routes.post("/slow", context -> {
                body.fields(context);
                waiting.release();
                goOn.await();
                ApiServer.answer(context, 200, Map.of("done", true));
            });
            routes.post("/late", context -> {
                body.fields(context);
                ApiServer.leave(context);
                waiting.release();
                context.future(() -> due.thenRun(() -> ApiServer.answer(context, 200, Map.of("done", true))));
            });
            routes.post("/read", context -> {
                body.fields(context);
                boolean done = ApiServer.read(context, () -> {
                    waiting.release();
                    return awaited(goOn);
                });
                ApiServer.answer(context, 200, Map.of("done", done));
            });
            routes.post("/large", context -> {
                body.fields(context);
                ApiServer.reserve(context, Runtime.getRuntime().maxMemory() / 18); // less than a quarter of the memory
                waiting.release();
                ApiServer.answer(context, 200, Map.of("done", awaited(goOn)));
            });
            routes.post("/stream", context -> {
                EventStream events = new EventStream(context);
                events.send(Map.of("event", 1));
                waiting.release();
                goOn.await();
                events.send(Map.of("event", 2));
                events.done();
            });
            routes.post("/flood", context -> {
                EventStream events = new EventStream(context);
                String much = "x".repeat(1 << 16);
                waiting.release();
                try {
                    while (true) {
                        events.send(much);
                    }
                } finally {
                    gone.countDown();
                }
            });
            routes.post("/poll", context -> {
                body.fields(context);
                ClientConnection connection = new ClientConnection(context);
                waiting.release();
                while (goOn.getCount() > 0 && !connection.closed()) {
                    polls.incrementAndGet();
                    Thread.sleep(1);
                }
                ApiServer.answer(context, 200, Map.of("polled", true));
            });
            routes.post("/bug", context -> {
                throw new IllegalStateException(SECRET, new IllegalArgumentException("cause: " + SECRET));
            });
            routes.post("/error", context -> {
                throw new StackOverflowError(SECRET);
            });
            routes.post("/memory", context -> {
                throw new OutOfMemoryError(SECRET);
            });
            routes.post("/buffered", context -> {
                context.outputStream().write("{\"half\":".getBytes(StandardCharsets.UTF_8));
                throw ApiException.unavailable(null, "the rest is not available");
            });
            routes.post("/half", context -> {
                new EventStream(context).send(Map.of("event", 1));
                throw new IllegalStateException(SECRET);
            });
        };
    }
}
