package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.Precision;
import java.util.Locale;

/**
 * Estimates the memory of a vision encoder's pass, without its weights. It counts the patches, the residual stream, and the largest step of
 * a block. {@code MemoryTermsTest} compares it with resident memory. No scores of all patches with all patches are kept.
 *
 * @param patches of all images of the pass
 * @param bytes of the pass
 */
public record VisionMemory(long patches, long bytes) {
    private static final double GIGA = 1e9;
    /** Patches that a block takes at a time, except for attention. */
    public static final long TOGETHER = 1024;
    /** Most freed bytes that stay reserved, {@code benchmarks/vision/README.md}. */
    private static final long HELD_BACK = 250_000_000;

    /**
     * Estimates a pass of a vision encoder.
     *
     * @param precision of its products
     */
    public static VisionMemory of(VisionConfig config, Precision precision, long patches) {
        long activation = precision.weightBytes();
        long width = config.hiddenSize();
        long together = Math.min(patches, TOGETHER);
        boolean copied = precision != Precision.FP32;
        // the patches again in the order of windows, and in the format of the products
        long embedding =
                ((config.windowSize() > 0 ? Float.BYTES : 0) + (copied ? activation : 0)) * config.patchValues();
        // queries and keys before and after they are joined, and values
        long joining = 5 * activation * width;
        // rotation of the last patches: queries, keys and values, shifted queries and keys, float32 products and sums
        long shifted = 2 * activation + (copied ? 2L * Float.BYTES : 0);
        long turning = 3 * activation * width * (patches - together)
                + (3 * activation + shifted + 2L * 2 * Float.BYTES) * width * together;
        // result of attention, new stream, norm and feed-forward layer of the last patches
        long feedForward = (activation + Float.BYTES) * width * patches
                + activation * (width + config.feedForwardValues()) * together;
        long most = Math.max(Math.max(embedding, joining) * patches, Math.max(turning, feedForward));
        return new VisionMemory(patches, Math.addExact(held(config, patches), most));
    }

    /** Returns the bytes held during a whole pass: the patches, the residual stream, and two tables of rotations. */
    public static long held(VisionConfig config, long patches) {
        long values = (long) config.patchValues() + config.hiddenSize() + 2L * config.headDim();
        return Math.multiplyExact(Float.BYTES * values, patches);
    }

    /** Returns the peak bytes: the allocator may keep freed memory, up to twice as much again. */
    long peak() {
        return Math.addExact(bytes, Math.min(2 * bytes, HELD_BACK));
    }

    /** @throws PrpfException 3, naming both, if it does not fit into the free bytes */
    public void requireWithin(long free) {
        long peak = peak();
        if (peak > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "seeing an image of %d patches needs about %.2f GB of memory and %.2f GB are free%s; lower"
                            + " max-visual-tokens, or take bf16",
                    patches,
                    peak / GIGA,
                    free / GIGA,
                    FreeMemory.place()));
        }
    }
}
