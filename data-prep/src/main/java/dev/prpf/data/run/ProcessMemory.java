package dev.prpf.data.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Resident memory of this process as Linux counts it: Java's heap and every library's own. */
public final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path RESET = Path.of("/proc/self/clear_refs");
    private static final String RESET_PEAK = "5";

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
        Long before = resetPeak() ? bytes("VmRSS:") : null;
        T result = work.get();
        Long peak = before == null ? null : peakBytes();
        return new Measured<>(result, peak == null || before == null ? null : Math.max(0, peak - before));
    }

    /** Resident now; null where the system does not say. */
    public static @Nullable Long residentBytes() {
        return bytes("VmRSS:");
    }

    /** The most that was ever resident, or since {@link #peakOf} began; null where the system does not say. */
    public static @Nullable Long peakBytes() {
        return bytes("VmHWM:");
    }

    private static boolean resetPeak() {
        try {
            Files.writeString(RESET, RESET_PEAK);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable Long bytes(String field) {
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.US_ASCII)) {
                if (line.startsWith(field)) {
                    return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
            return null;
        } catch (IOException e) {
            return null;
        }
    }
}
