package dev.prpf.data.synth;

import static dev.prpf.base.config.Rule.require;

/**
 * The samples with one screenshot in which only a colour, an icon or a position decides the answer, not a text.
 *
 * @param share share of all samples, 0 to 1
 * @param width width of these screenshots in pixels
 * @param height height of these screenshots in pixels
 */
public record VisualCues(double share, int width, int height) {
    private static final int MAX_SIDE = 4000;

    public VisualCues {
        require(share >= 0 && share <= 1, "share", share, "between 0 and 1");
        require(width >= 96 && width <= MAX_SIDE, "width", width, "96 to " + MAX_SIDE + " pixels");
        require(height >= 160 && height <= MAX_SIDE, "height", height, "160 to " + MAX_SIDE + " pixels");
    }

    /** Returns settings with screenshots of 50 tokens for a model with patches of 16 pixels and 4 merged patches per token. */
    public static VisualCues small(double share) {
        return new VisualCues(share, 160, 320);
    }
}
