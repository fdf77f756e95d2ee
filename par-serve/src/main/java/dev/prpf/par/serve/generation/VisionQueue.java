package dev.prpf.par.serve.generation;

import dev.prpf.par.serve.http.ApiException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One request at a time looks at its pictures: two at once would each take twice as long, and twice the memory. Callers in turn. */
public final class VisionQueue {
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final long LOOK_MS = 200;

    private final int room;
    private final Duration patience;
    private final Runnable refused;
    private final FairQueue<CountDownLatch> queue = new FairQueue<>();
    private boolean busy;

    /**
     * Of a server.
     *
     * @param room requests that may wait
     * @param patience how long one may wait
     * @param refused is told of each that found no room
     */
    VisionQueue(int room, Duration patience, Runnable refused) {
        this.room = room;
        this.patience = patience;
        this.refused = refused;
    }

    /**
     * Waits for its turn and works on the calling thread.
     *
     * @param waiting is run now and then while it waits and before the work; throws where nobody waits any more
     * @throws ApiException 429 without room, 503 if the server stops, 504 if its turn did not come in time; else what work or waiting throw
     */
    public <T> T turn(String caller, Runnable waiting, Supplier<T> work) {
        CountDownLatch turn = enter(caller);
        try {
            await(turn, waiting);
            waiting.run();
            return work.get();
        } finally {
            leave(turn);
        }
    }

    private synchronized CountDownLatch enter(String caller) {
        CountDownLatch turn = new CountDownLatch(1);
        if (!busy) {
            busy = true;
            turn.countDown();
        } else if (queue.size() < room) {
            queue.add(caller, turn);
        } else {
            refused.run();
            throw ApiException.overloaded(
                    SOON, queue.size() + " requests with pictures wait, there is no room for more; try again later");
        }
        return turn;
    }

    private void await(CountDownLatch turn, Runnable waiting) {
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (!turn.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                waiting.run();
                if (System.nanoTime() - deadline >= 0) {
                    throw ApiException.timeout(
                            "the turn of the request's pictures did not come within the request's time");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable(null, "the server stopped");
        }
    }

    /** One that waited no longer gives up its place; one that had its turn passes it on. */
    private synchronized void leave(CountDownLatch turn) {
        if (turn.getCount() > 0) {
            queue.removeIf(other -> other == turn, new ArrayList<>());
            return;
        }
        CountDownLatch next = queue.poll();
        if (next == null) {
            busy = false;
        } else {
            next.countDown();
        }
    }

    /** How many wait. */
    synchronized int waiting() {
        return queue.size();
    }
}
