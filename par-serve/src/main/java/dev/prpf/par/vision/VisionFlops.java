package dev.prpf.par.vision;

import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.PictureGrid;

/**
 * Floating-point operations of a vision tower's pass over pictures, two a multiply-add, counted as {@link DecoderFlops} counts a decoder's:
 * matrices and attention, no norms, rotations and activations.
 */
public final class VisionFlops {
    private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

    private final VisionConfig config;
    private final double patch;
    private final double token;

    public VisionFlops(VisionConfig config) {
        this.config = config;
        double width = config.hiddenSize();
        double block = 4 * width * width + 2 * width * config.intermediateSize();
        patch = 2 * (width * config.patchValues() + config.depth() * block);
        double merged = MERGED * width;
        token = 2 * (merged * merged + merged * config.outHiddenSize());
    }

    /** Of one picture; each of its patches attends to all of them. */
    public double of(PictureGrid grid) {
        double patches = (double) MERGED * grid.tokens();
        double attention = 4.0 * config.depth() * config.hiddenSize() * patches * patches;
        return patches * patch + attention + grid.tokens() * token;
    }
}
