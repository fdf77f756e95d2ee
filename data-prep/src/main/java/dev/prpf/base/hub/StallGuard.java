package dev.prpf.base.hub;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Ends a stream that gives no byte for a time; the JDK's HTTP client waits for ever. */
final class StallGuard implements AutoCloseable {
    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "download-clock");
        thread.setDaemon(true);
        return thread;
    });
    private static final int LOOKS = 4;

    private final InputStream stream;
    private final Duration limit;
    private final ScheduledFuture<?> watch;
    private volatile long lastByte = System.nanoTime();
    private volatile boolean stalled;

    StallGuard(InputStream stream, Duration limit) {
        this.stream = stream;
        this.limit = limit;
        long between = Math.max(1, limit.toMillis() / LOOKS);
        this.watch = CLOCK.scheduleWithFixedDelay(this::look, between, between, TimeUnit.MILLISECONDS);
    }

    private void look() {
        if (System.nanoTime() - lastByte > limit.toNanos()) {
            stalled = true;
            try {
                stream.close();
            } catch (IOException e) {
                // The reader is told of the stall; how the stream closed says nothing more.
            }
        }
    }

    /** As {@link InputStream#read(byte[])}. */
    int read(byte[] buffer) throws IOException {
        try {
            int n = stream.read(buffer);
            lastByte = System.nanoTime();
            if (!stalled) {
                return n;
            }
        } catch (IOException e) {
            if (!stalled) {
                throw e;
            }
        }
        throw new HttpTimeoutException("no byte came for " + limit.toMillis() / 1000.0 + " s");
    }

    @Override
    public void close() throws IOException {
        watch.cancel(false);
        stream.close();
    }
}
