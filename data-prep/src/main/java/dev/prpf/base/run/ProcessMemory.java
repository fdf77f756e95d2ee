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

/** Resident memory of this process as Linux counts it: Java's heap and every library's own. */
public final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path RESET = Path.of("/proc/self/clear_refs");
    private static final String RESET_PEAK = "5";
    private static final long LONGEST_WAIT = 3_000_000_000L;
    private static final long PAUSE = 50_000_000L;
    /** Memory counts as settled after this number of pauses in which less than {@link #GIVEN_BACK} bytes were returned. */
    private static final int STILL = 4;

    private static final long GIVEN_BACK = 1 << 20;

    private ProcessMemory() {}

    /**
     * What work gave and what it took.
     *
     * @param result its result
     * @param peakBytes the most memory resident while it ran, above what was resident before; null where the system does not say
     */
    public record Measured<T>(T result, @Nullable Long peakBytes) {}

    /** Runs work and says what it took beyond what was there. */
    public static <T> Measured<T> peakOf(Supplier<T> work) {
        System.gc(); // so that garbage of what ran before makes no room for this
        settle();
        Long before = resetPeak() ? bytes("VmRSS:") : null;
        T result = work.get();
        Long peak = before == null ? null : peakBytes();
        return new Measured<>(result, peak == null || before == null ? null : Math.max(0, peak - before));
    }

    /** Resident now; null where the system does not say. */
    public static @Nullable Long residentBytes() {
        return bytes("VmRSS:");
    }

    /** The most that was ever resident, or since {@link #resetPeak} or {@link #peakOf}; null where the system does not say. */
    public static @Nullable Long peakBytes() {
        return bytes("VmHWM:");
    }

    /** Resident in another process now; null where the system does not say, as of one that ended. */
    public static @Nullable Long residentBytes(long pid) {
        return bytes(statusOf(pid), "VmRSS:");
    }

    /** The most that was ever resident in another process; null where the system does not say, as of one that ended. */
    public static @Nullable Long peakBytes(long pid) {
        return bytes(statusOf(pid), "VmHWM:");
    }

    private static Path statusOf(long pid) {
        return Path.of("/proc", Long.toString(pid), "status");
    }

    /** Java gives memory back piece by piece after a collection: waits until nothing more is given for a while. */
    private static void settle() {
        long deadline = System.nanoTime() + LONGEST_WAIT;
        Long last = residentBytes();
        for (int still = 0; still < STILL && last != null && System.nanoTime() < deadline; ) {
            LockSupport.parkNanos(PAUSE);
            Long now = residentBytes();
            still = now != null && now < last - GIVEN_BACK ? 0 : still + 1;
            last = now;
        }
    }

    /** Lets {@link #peakBytes} begin anew; whether the system allows that. */
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
