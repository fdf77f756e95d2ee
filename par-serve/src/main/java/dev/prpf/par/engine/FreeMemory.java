package dev.prpf.par.engine;

import ai.djl.engine.EngineException;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.util.cuda.CudaUtils;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.run.AvailableMemory;
import dev.prpf.par.device.Card;
import java.lang.management.MemoryUsage;
import java.util.function.LongSupplier;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/** The memory that libtorch can still allocate on its device. */
public final class FreeMemory {
    private FreeMemory() {}

    /**
     * Returns the free bytes, exact if they are fewer than wanted; a very large number if the system does not report them. On a GPU libtorch caches
     * freed memory: if that may decide, the cache is emptied first.
     *
     * @param wanted bytes about to be allocated
     */
    public static long bytes(long wanted) {
        return TorchRuntime.onGpu()
                ? onCard(FreeMemory::freeOnCard, JniUtils::emptyCudaCache, wanted)
                : AvailableMemory.bytes();
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
}
