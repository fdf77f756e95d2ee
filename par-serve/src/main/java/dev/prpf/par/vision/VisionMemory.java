package dev.prpf.par.vision;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.Precision;
import java.util.Locale;

/**
 * What a vision tower's pass takes beside its weights, estimated before it begins: the patches, the residual stream, one block's queries, keys
 * and values, the features, and the further activations of the patches that a block takes at a time. No scores of all patches against all are
 * kept. An allocator that does not give back at once what was freed comes on top: for a screenshot of 1080 x 2400 about 0.2 GB
 * ({@code benchmarks/vision/README.md}).
 *
 * @param patches of all pictures of the pass
 * @param bytes that it takes
 */
public record VisionMemory(long patches, long bytes) {
    private static final double GIGA = 1e9;
    /** Patches that {@code vision_block} takes at a time. */
    private static final long TOGETHER = 1024;

    /**
     * A pass of a tower.
     *
     * @param precision of its products
     */
    public static VisionMemory of(VisionConfig config, Precision precision, long patches) {
        long activation = precision.weightBytes();
        long width = config.hiddenSize();
        long stream = Float.BYTES * width + 2L * Float.BYTES * config.headDim(); // and rotations' two tables
        // queries and keys twice, as they are joined, and values; then what attention gives, and the stream twice, as
        // it is joined
        long kept = Math.max(5 * activation, activation + 2 * Float.BYTES) * width;
        long values = Float.BYTES * (long) config.patchValues();
        long features = Float.BYTES * (long) config.outHiddenSize() / (VisionConfig.MERGE * VisionConfig.MERGE);
        // norm, queries, keys and values, two of them turned in float32; or the stream, norm, sum, and what the
        // feed-forward makes
        long turning = (Float.BYTES + 4 * activation + 3L * Float.BYTES * 2) * width;
        long feedForward = (3 * Float.BYTES + activation) * width + 2 * activation * config.intermediateSize();
        long all = Math.multiplyExact(stream + kept + values + features, patches);
        return new VisionMemory(
                patches, Math.addExact(all, Math.max(turning, feedForward) * Math.min(patches, TOGETHER)));
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
