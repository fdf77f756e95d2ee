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

/** A fixed number of daemon threads that map lists in order. */
public final class Workers implements AutoCloseable {
    private final ExecutorService threads;

    public Workers(String name, int count) {
        threads = Executors.newFixedThreadPool(count, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The results in the order of the items; the first failure is thrown as it was, and what has not begun is not begun. */
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

    /** Begins one thing; asked for, it is waited for, and its failure thrown as it was. */
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

    /** Begins nothing more and waits for what is under way; false if that still runs after the time, or once this thread is interrupted. */
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
