package dev.prpf.data.onnx;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** A fixed pool of daemon threads that map lists in order. */
public final class Workers implements AutoCloseable {
    private final ExecutorService threads;

    public Workers(String name, int count) {
        threads = Executors.newFixedThreadPool(count, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Maps items in parallel and returns the results in order. Rethrows the first failure unchanged; pending items are cancelled. */
    public <T, R> List<R> map(List<T> items, Function<T, R> work) {
        List<CompletableFuture<R>> futures = items.stream()
                .map(item -> CompletableFuture.supplyAsync(() -> work.apply(item), threads))
                .toList();
        try {
            return futures.stream().map(Workers::result).toList();
        } finally {
            futures.forEach(future -> future.cancel(false));
        }
    }

    /** Starts a task; the supplier waits for its result and rethrows its failure unchanged. */
    public <R> Supplier<R> begin(Supplier<R> work) {
        CompletableFuture<R> future = CompletableFuture.supplyAsync(work, threads);
        return () -> result(future);
    }

    private static <R> R result(CompletableFuture<R> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    /** Accepts no more tasks and waits for running ones; false if some still run after the time, or if this thread is interrupted. */
    public boolean end(Duration wait) {
        threads.shutdown();
        try {
            return threads.awaitTermination(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return threads.isTerminated();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
