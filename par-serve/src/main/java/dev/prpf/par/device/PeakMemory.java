package dev.prpf.par.device;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The most memory that this process has reserved on its GPU while work runs, sampled every 20 ms. */
public final class PeakMemory {
    private static final Duration PERIOD = Duration.ofMillis(20);

    private final @Nullable Gauge gauge;
    private volatile String reason;

    /** Reads bytes that are reserved now. */
    @FunctionalInterface
    interface Gauge {
        long bytes() throws Nvml.Unavailable;
    }

    /**
     * The result of work and its peak.
     *
     * @param result of the work
     * @param peakBytes reserved at most, from before the work began; null with a {@link #reason}
     */
    public record Measured<T>(T result, @Nullable Long peakBytes) {}

    PeakMemory(@Nullable Gauge gauge, String reason) {
        this.gauge = gauge;
        this.reason = reason;
    }

    /** Makes a meter that measures nothing and gives a reason for it. */
    public static PeakMemory unavailable(String reason) {
        return new PeakMemory(null, reason);
    }

    /** Measures on a GPU by NVML. */
    public static PeakMemory of(Card card) {
        try {
            return new PeakMemory(Nvml.open(card)::reservedBytes, "");
        } catch (Nvml.Unavailable e) {
            return unavailable(e.reason());
        }
    }

    /** Returns why figures are null; empty if none is. */
    public String reason() {
        return reason;
    }

    /** Returns the bytes reserved now; null with a {@link #reason}. */
    public @Nullable Long bytes() {
        if (gauge == null) {
            return null;
        }
        try {
            return gauge.bytes();
        } catch (Nvml.Unavailable e) {
            reason = e.reason();
            return null;
        }
    }

    /** Runs work and samples the memory before, during and after it. */
    public <T> Measured<T> during(Supplier<T> work) {
        if (bytes() == null) {
            return new Measured<>(work.get(), null);
        }
        Sampler sampler = new Sampler();
        Thread thread = new Thread(sampler, "device-memory");
        thread.setDaemon(true);
        thread.start();
        try {
            return new Measured<>(work.get(), sampler.peak(thread));
        } finally {
            sampler.ended.countDown();
        }
    }

    private final class Sampler implements Runnable {
        private final CountDownLatch ended = new CountDownLatch(1);
        private @Nullable Long peak = bytes();

        @Override
        public void run() {
            try {
                boolean last;
                do {
                    last = ended.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS);
                    Long now = bytes();
                    peak = peak == null || now == null ? null : (Long) Math.max(peak, now);
                } while (!last);
            } catch (InterruptedException e) {
                peak = null;
            }
        }

        @Nullable
        Long peak(Thread thread) {
            ended.countDown();
            try {
                thread.join();
                return peak;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
    }
}
