package dev.prpf.base.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Resident memory of a process as Linux counts it: Java's heap and native memory. */
public final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path RESET = Path.of("/proc/self/clear_refs");
    private static final String RESET_PEAK = "5";
    private static final long LONGEST_WAIT = 3_000_000_000L;
    private static final long PAUSE = 50_000_000L;
    /** Memory counts as settled after this number of pauses in which less than {@link #RETURNED} bytes were returned. */
    private static final int STILL = 4;

    private static final long RETURNED = 1 << 20;

    private ProcessMemory() {}

    /**
     * The result of an operation and its peak memory.
     *
     * @param result the operation's result
     * @param peakBytes peak resident memory minus the memory before; null if the system does not report it
     */
    public record Measured<T>(T result, @Nullable Long peakBytes) {}

    /** Runs an operation and measures its additional peak memory. */
    public static <T> Measured<T> peakOf(Supplier<T> work) {
        System.gc(); // so that earlier garbage does not hide new allocations
        settle();
        Long before = resetPeak() ? bytes("VmRSS:") : null;
        T result = work.get();
        Long peak = before == null ? null : peakBytes();
        return new Measured<>(result, peak == null || before == null ? null : Math.max(0, peak - before));
    }

    /** Returns the resident memory; null if the system does not report it. */
    public static @Nullable Long residentBytes() {
        return bytes("VmRSS:");
    }

    /** Returns the peak resident memory since {@link #resetPeak}, or since the start; null if the system does not report it. */
    public static @Nullable Long peakBytes() {
        return bytes("VmHWM:");
    }

    /** Returns the resident memory of another process; null if it has ended or the system does not report it. */
    public static @Nullable Long residentBytes(long pid) {
        return bytes(statusOf(pid), "VmRSS:");
    }

    /** Returns the peak resident memory of another process; null if it has ended or the system does not report it. */
    public static @Nullable Long peakBytes(long pid) {
        return bytes(statusOf(pid), "VmHWM:");
    }

    private static Path statusOf(long pid) {
        return Path.of("/proc", Long.toString(pid), "status");
    }

    /** Waits until Java, which returns memory gradually after a collection, returns no more. */
    private static void settle() {
        long deadline = System.nanoTime() + LONGEST_WAIT;
        Long last = residentBytes();
        for (int still = 0; still < STILL && last != null && System.nanoTime() < deadline; ) {
            LockSupport.parkNanos(PAUSE);
            Long now = residentBytes();
            still = now != null && now < last - RETURNED ? 0 : still + 1;
            last = now;
        }
    }

    /** Resets {@link #peakBytes}; returns whether the system allows it. */
    public static boolean resetPeak() {
        try {
            Files.writeString(RESET, RESET_PEAK);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable Long bytes(String field) {
        return bytes(STATUS, field);
    }

    private static @Nullable Long bytes(Path file, String field) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.startsWith(field))
                    .map(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElse(null);
        } catch (IOException | UncheckedIOException e) {
            return null;
        }
    }
}
