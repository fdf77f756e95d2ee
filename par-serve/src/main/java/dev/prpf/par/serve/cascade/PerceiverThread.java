package dev.prpf.par.serve.cascade;

import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs one job at a time on its own thread; API keys take turns. Drops queued jobs of disconnected clients and jobs that waited too long. A job that
 * has begun runs to its end. Thread-safe.
 */
final class PerceiverThread {
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final long LOOK_MS = 100;
    static final Duration LONGEST_END = Duration.ofSeconds(30);

    private final int room;
    private final Duration patience;
    private final LongSupplier clock;
    private final FairQueue<Job<?>> queue = new FairQueue<>();
    private final Thread thread;
    private boolean closed;

    /**
     * Starts the perceiver's thread.
     *
     * @param room queue capacity
     * @param patience longest wait of a job
     * @param clock in nanoseconds
     */
    PerceiverThread(int room, Duration patience, LongSupplier clock) {
        this.room = room;
        this.patience = patience;
        this.clock = clock;
        thread = new Thread(this::work, "perceiver");
        thread.setDaemon(true);
        thread.start();
    }

    /** A job of the queue. */
    private record Job<T>(Supplier<T> work, long deadline, CompletableFuture<T> answer) {
        void run(long now) {
            if (now - deadline >= 0) {
                answer.completeExceptionally(tooLate());
                return;
            }
            try {
                answer.complete(work.get());
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        }
    }

    static ApiException tooLate() {
        return ApiException.timeout("the sample's turn with the perceiver did not come within the request's time");
    }

    /** Returns the number of waiting requests. */
    synchronized int waiting() {
        return queue.size();
    }

    /**
     * Waits for a turn, then for the end of the work.
     *
     * @throws ApiException 429 without room, or where another key takes its place; 503 once closed; 504 if its turn did not come in time.
     *     Failures of work or client are rethrown
     */
    <T> T run(Client client, Supplier<T> work) {
        Job<T> job = new Job<>(work, clock.getAsLong() + patience.toNanos(), new CompletableFuture<>());
        submit(client.caller(), job);
        while (true) {
            try {
                return job.answer().get(LOOK_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                look(client, job);
            } catch (InterruptedException e) {
                withdraw(job);
                Thread.currentThread().interrupt();
                throw ended();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException known) {
                    throw known;
                }
                throw new CompletionException(e.getCause());
            }
        }
    }

    private static ApiException ended() {
        return ApiException.unavailable(null, "the perceiver has stopped");
    }

    private synchronized void submit(String caller, Job<?> job) {
        if (closed) {
            throw ended();
        }
        List<Job<?>> yielding = queue.makeRoom(caller, 1, room - queue.size());
        if (yielding == null) {
            throw full(room);
        }
        yielding.forEach(other -> other.answer().completeExceptionally(full(room)));
        queue.add(caller, job);
        notifyAll();
    }

    static ApiException full(int waiting) {
        return ApiException.overloaded(
                SOON, waiting + " samples wait for the perceiver, there is no room for more; try again later");
    }

    /** Ends the wait of a disconnected or late client, unless its turn has come. */
    private void look(Client client, Job<?> job) {
        try {
            client.waiting().run();
        } catch (RuntimeException e) {
            if (withdraw(job)) {
                throw e;
            }
        }
        if (clock.getAsLong() - job.deadline() >= 0 && withdraw(job)) {
            throw tooLate();
        }
    }

    /** Removes a job from the queue; returns whether the job was still waiting. */
    private synchronized boolean withdraw(Job<?> job) {
        List<Job<?>> removed = new ArrayList<>();
        queue.removeIf(one -> one.equals(job), removed);
        return !removed.isEmpty();
    }

    private void work() {
        try {
            while (true) {
                next().run(clock.getAsLong());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed, and nothing is left
        }
    }

    private synchronized Job<?> next() throws InterruptedException {
        while (true) {
            Job<?> job = queue.poll();
            if (job != null) {
                return job;
            }
            if (closed) {
                throw new InterruptedException();
            }
            wait();
        }
    }

    /** Refuses further work and ends the rest. @return whether the thread has ended */
    boolean close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join(LONGEST_END.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
