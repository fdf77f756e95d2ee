package dev.prpf.data.synth;

import static dev.prpf.base.config.Rule.require;

/**
 * Samples of one screenshot whose answer is carried by a colour, an icon or a place on it alone, so that no text tells it.
 *
 * @param share of all samples, 0 to 1
 * @param width of these screenshots in pixels
 * @param height of these screenshots in pixels
 */
public record VisualCues(double share, int width, int height) {
    private static final int MOST = 4000;

    public VisualCues {
        require(share >= 0 && share <= 1, "share", share, "between 0 and 1");
        require(width >= 96 && width <= MOST, "width", width, "96 to " + MOST + " pixels");
        require(height >= 160 && height <= MOST, "height", height, "160 to " + MOST + " pixels");
    }

    /** Screenshots that take 50 tokens of a model with patches of 16 pixels, of which 4 are merged. */
    public static VisualCues small(double share) {
        return new VisualCues(share, 160, 320);
    }
}
