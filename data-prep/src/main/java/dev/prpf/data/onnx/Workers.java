package dev.prpf.data.onnx;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
        List<Future<R>> futures = new ArrayList<>();
        for (T item : items) {
            futures.add(threads.submit(() -> work.apply(item)));
        }
        List<R> results = new ArrayList<>(items.size());
        try {
            for (Future<R> future : futures) {
                results.add(result(future));
            }
            return results;
        } finally {
            futures.forEach(future -> future.cancel(false));
        }
    }

    /** Begins one thing; asked for, it is waited for, and its failure thrown as it was. */
    public <R> Supplier<R> begin(Supplier<R> work) {
        Future<R> future = threads.submit(work::get);
        return () -> result(future);
    }

    private static <R> R result(Future<R> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException cancelled = new CancellationException("interrupted while encoding");
            cancelled.initCause(e);
            throw cancelled;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
