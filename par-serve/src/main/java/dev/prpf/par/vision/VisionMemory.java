package dev.prpf.par.vision;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.Precision;
import java.util.Locale;

/**
 * The memory of a vision encoder's pass without its weights, estimated before it begins. It has the patches, residual stream, one block's queries,
 * keys and values, the features, and other activations of patches that a block processes at once. Attention stores no full score matrix.
 *
 * @param patches of all images of the pass
 * @param bytes of the pass
 */
public record VisionMemory(long patches, long bytes) {
    private static final double GIGA = 1e9;
    /** Number of patches that a block processes at a time, except in attention. */
    static final long TOGETHER = 1024;
    /** Most bytes that stay reserved after they were freed, {@code benchmarks/vision/README.md}. */
    private static final long HELD_BACK = 200_000_000;

    /**
     * Estimates a pass of a vision encoder.
     *
     * @param precision of its products
     */
    public static VisionMemory of(VisionConfig config, Precision precision, long patches) {
        long activation = precision.weightBytes();
        long width = config.hiddenSize();
        long stream = Float.BYTES * width + 2L * Float.BYTES * config.headDim(); // and rotations' two tables
        // queries and keys twice, when concatenated, and values; or attention's output, and the stream twice
        long kept = Math.max(5 * activation, activation + 2 * Float.BYTES) * width;
        long values =
                Float.BYTES * (long) config.patchValues() * (config.windowSize() > 0 ? 2 : 1); // and in window order
        long features = Float.BYTES * (long) config.outHiddenSize() / (VisionConfig.MERGE * VisionConfig.MERGE);
        // norm, queries, keys and values, two of them rotated in float32; or the stream, norm, sum, and feed-forward
        long turning = (Float.BYTES + 4 * activation + 3L * Float.BYTES * 2) * width;
        long feedForward = (3 * Float.BYTES + activation) * width + activation * config.feedForwardValues();
        long all = Math.multiplyExact(stream + kept + values + features, patches);
        return new VisionMemory(
                patches, Math.addExact(all, Math.max(turning, feedForward) * Math.min(patches, TOGETHER)));
    }

    /** Returns the peak bytes: the allocator may keep freed memory, up to as much again. */
    long peak() {
        return Math.addExact(bytes, Math.min(bytes, HELD_BACK));
    }

    /** @throws PrpfException 3, naming both, if it does not fit into the free bytes */
    public void requireWithin(long free) {
        long peak = peak();
        if (peak > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "seeing a picture of %d patches needs about %.2f GB of memory and %.2f GB are free%s; lower"
                            + " max-visual-tokens, or take bf16",
                    patches,
                    peak / GIGA,
                    free / GIGA,
                    FreeMemory.place()));
        }
    }
}
