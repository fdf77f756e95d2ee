package dev.prpf.par.engine;

import ai.djl.Device;
import ai.djl.util.cuda.CudaUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Memory that libtorch can still take on the device it works on. */
public final class FreeMemory {
    private static final Path MACHINE = Path.of("/proc/meminfo");
    private static final Path GROUP = Path.of("/sys/fs/cgroup");
    private static final long KIBI = 1024;

    private FreeMemory() {}

    /** Bytes; as many as there can be where nothing tells. */
    public static long bytes() {
        Device device = TorchRuntime.root().getDevice();
        if (device.isGpu()) {
            MemoryUsage usage = CudaUtils.getGpuMemory(device);
            return usage.getMax() - usage.getCommitted();
        }
        return Math.min(machine(lines(MACHINE)), group(GROUP));
    }

    /** {@code MemAvailable} of Linux's description of the memory. */
    static long machine(List<String> description) {
        return KIBI * value(description, "MemAvailable:", Long.MAX_VALUE / KIBI);
    }

    /** What the control group (version 2) leaves; files' pages that nobody uses can be dropped. */
    static long group(Path directory) {
        List<String> limit = lines(directory.resolve("memory.max"));
        List<String> used = lines(directory.resolve("memory.current"));
        if (limit.isEmpty() || used.isEmpty() || limit.get(0).equals("max")) {
            return Long.MAX_VALUE;
        }
        long idle = value(lines(directory.resolve("memory.stat")), "inactive_file ", 0);
        return Long.parseLong(limit.get(0)) - Long.parseLong(used.get(0)) + idle;
    }

    private static long value(List<String> lines, String key, long absent) {
        return lines.stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).replace("kB", "").strip())
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(absent);
    }

    /** The lines of a file of the system; none where it cannot be read. */
    static List<String> lines(Path file) {
        try {
            return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
