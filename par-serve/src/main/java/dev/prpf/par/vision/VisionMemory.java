package dev.prpf.par.vision;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.Precision;
import java.util.Locale;

/**
 * What a vision tower's pass takes beside its weights, estimated before it begins: the patches, the residual stream, what the widest part of
 * one block makes and drops again, and the features. No scores of all patches against all are kept.
 *
 * @param patches of all pictures of the pass
 * @param bytes that it takes
 */
public record VisionMemory(long patches, long bytes) {
    private static final double GIGA = 1e9;

    /**
     * A pass of a tower.
     *
     * @param precision of its products
     */
    public static VisionMemory of(VisionConfig config, Precision precision, long patches) {
        long activation = precision.weightBytes();
        long width = config.hiddenSize();
        // the residual stream, its norm, and rotations' two tables
        long stream = 2 * Float.BYTES * width + 2L * Float.BYTES * config.headDim();
        // queries, keys and values, two of them turned in float32 on the way, and what attention makes
        long attention = 5 * activation * width + activation * 2 * width + 3L * Float.BYTES * 2 * width;
        long feedForward = 2 * activation * config.intermediateSize() + activation * width;
        long values = Float.BYTES * (long) config.patchValues();
        long features = Float.BYTES * (long) config.outHiddenSize() / (VisionConfig.MERGE * VisionConfig.MERGE);
        long each = Math.addExact(stream + values + features, Math.max(attention, feedForward));
        return new VisionMemory(patches, Math.multiplyExact(each, patches));
    }

    /** @throws PrpfException 3, naming both, where it does not fit into the free bytes */
    public void requireWithin(long free) {
        if (bytes > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "seeing a picture of %d patches needs about %.2f GB of memory and %.2f GB are free; lower"
                            + " max-visual-tokens, or take bf16",
                    patches,
                    bytes / GIGA,
                    free / GIGA));
        }
    }
}
