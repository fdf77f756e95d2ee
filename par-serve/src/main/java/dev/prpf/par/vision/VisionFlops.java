package dev.prpf.par.vision;

import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;

/**
 * Counts the floating-point operations of a vision encoder's pass over images, two per multiply-add, like {@link DecoderFlops} for a decoder. It
 * counts matrices and attention, not norms, rotations and activations.
 */
public final class VisionFlops {
    private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

    private final VisionConfig config;
    private final double patch;
    private final double token;

    public VisionFlops(VisionConfig config) {
        this.config = config;
        double width = config.hiddenSize();
        double matrices = config.family().gated() ? 3 : 2;
        double block = 4 * width * width + matrices * width * config.intermediateSize();
        patch = 2 * (width * config.patchValues() + config.depth() * block);
        double merged = MERGED * width;
        token = 2 * (merged * merged + merged * config.outHiddenSize());
    }

    /** Counts one image; each of its patches attends to all patches, or in some blocks to those of its window. */
    public double of(ImageGrid grid) {
        double patches = (double) MERGED * grid.tokens();
        double windowed =
                WindowOrder.of(grid.rows(), grid.columns(), config.windowSide()).pairs() * MERGED * MERGED;
        double attention = 0;
        for (int i = 0; i < config.depth(); i++) {
            attention += 4.0 * config.hiddenSize() * (config.windowed(i) ? windowed : patches * patches);
        }
        return patches * patch + attention + grid.tokens() * token;
    }
}
