package dev.prpf.par.engine;

import ai.djl.engine.EngineException;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.util.cuda.CudaUtils;
import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.device.Card;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/** Memory that libtorch can still take on the device it works on. */
public final class FreeMemory {
    private static final Path MACHINE = Path.of("/proc/meminfo");
    private static final Path GROUP = Path.of("/sys/fs/cgroup");
    private static final long KIBI = 1024;

    private FreeMemory() {}

    /**
     * Returns the free bytes, exact if they are fewer than wanted; a very large number if the system does not report them. On a card libtorch
     * caches freed memory: where that may decide, the cache is emptied before the memory is read.
     *
     * @param wanted bytes about to be allocated
     */
    public static long bytes(long wanted) {
        return TorchRuntime.onGpu()
                ? onCard(FreeMemory::freeOnCard, JniUtils::emptyCudaCache, wanted)
                : Math.min(machine(lines(MACHINE)), group(GROUP));
    }

    /** Returns the error with status 3 if libtorch failed for lack of memory, or null for another failure. */
    public static @Nullable PrpfException shortage(Throwable failure) {
        return ExceptionUtils.getThrowableList(failure).stream()
                .filter(cause -> cause instanceof EngineException)
                .flatMap(cause ->
                        String.valueOf(cause.getMessage()).lines()) // TorchScript's traceback comes before the reason
                .filter(InsufficientMemoryException::isMeantBy)
                .findFirst()
                .map(line -> new InsufficientMemoryException("no memory is left" + place() + ": "
                        + line.replaceFirst("^RuntimeError: ", "")
                        + "; take fewer responses together (--batch-size, micro-batch-size), shorter ones"
                        + " (--max-new, max-length), a smaller --dtype, or another card (CUDA_VISIBLE_DEVICES);"
                        + " nvidia-smi lists the processes that hold the rest"))
                .orElse(null);
    }

    static long onCard(LongSupplier free, Runnable emptyCache, long wanted) {
        long bytes = free.getAsLong();
        if (bytes >= wanted) {
            return bytes;
        }
        emptyCache.run();
        return free.getAsLong();
    }

    private static long freeOnCard() {
        MemoryUsage usage = CudaUtils.getGpuMemory(TorchRuntime.root().getDevice());
        return usage.getMax() - usage.getCommitted();
    }

    /** Returns the place for messages, as " on card 0 (name, free memory)"; empty on a processor. */
    public static String place() {
        Card card = TorchRuntime.card();
        if (card == null) {
            return "";
        }
        MemoryUsage usage = CudaUtils.getGpuMemory(TorchRuntime.root().getDevice());
        return " on " + card.described(usage.getMax() - usage.getCommitted(), usage.getMax());
    }

    /** {@code MemAvailable} of Linux's description of the memory. */
    static long machine(List<String> description) {
        return KIBI * value(description, "MemAvailable:", Long.MAX_VALUE / KIBI);
    }

    /** Returns the free memory of the control group (version 2). Inactive file pages count as free. */
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
