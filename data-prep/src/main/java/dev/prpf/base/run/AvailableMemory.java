package dev.prpf.base.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Memory that Linux can still give to a process, on the machine and within the limit of its container. */
public final class AvailableMemory {
    private static final Path MACHINE = Path.of("/proc/meminfo");
    private static final Path GROUP = Path.of("/sys/fs/cgroup");
    private static final long KIBI = 1024;
    /** Keys of {@code memory.stat} for memory that the kernel frees before it refuses an allocation. */
    private static final Set<String> RECLAIMABLE = Set.of("active_file", "inactive_file", "slab_reclaimable");

    private AvailableMemory() {}

    /** Returns the available bytes; {@link Long#MAX_VALUE} if the system does not report them. */
    public static long bytes() {
        return Math.min(machine(lines(MACHINE)), group(GROUP));
    }

    /** Returns {@code MemAvailable} of the lines of {@code /proc/meminfo}, in bytes. */
    static long machine(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> KIBI * Long.parseLong(line.split("\\s+", -1)[1]))
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the bytes that a control group (version 2) leaves free or can reclaim. */
    static long group(Path directory) {
        List<String> limit = lines(directory.resolve("memory.max"));
        List<String> used = lines(directory.resolve("memory.current"));
        if (limit.isEmpty() || used.isEmpty() || limit.get(0).equals("max")) {
            return Long.MAX_VALUE;
        }
        long reclaimable = lines(directory.resolve("memory.stat")).stream()
                .map(line -> line.split(" ", -1))
                .filter(entry -> RECLAIMABLE.contains(entry[0]))
                .mapToLong(entry -> Long.parseLong(entry[1]))
                .sum();
        return Long.parseLong(limit.get(0)) - Long.parseLong(used.get(0)) + reclaimable;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
