package dev.prpf.data.encode.image;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.spec.VisionPreprocessing;

/**
 * How a picture is cut for a vision tower.
 *
 * @param rows patches from top to bottom, before they are merged
 * @param columns patches from left to right, before they are merged
 * @param merge a side of the square of patches that become one token
 */
public record VisionGrid(int rows, int columns, int merge) {
    public VisionGrid {
        require(merge > 0, "merge", merge, "positive");
        require(rows > 0 && rows % merge == 0, "rows", rows, "a positive multiple of " + merge);
        require(columns > 0 && columns % merge == 0, "columns", columns, "a positive multiple of " + merge);
    }

    /** A picture whose longer side is more times its shorter one is no picture. */
    private static final int MAX_ASPECT = 200;

    /**
     * The grid of a picture after its resizing (transformers 5.23, {@code smart_resize}): the nearest multiples of a token's side, or where
     * their area lies beyond the limits, the largest within (the smallest at least) that keep the aspect.
     *
     * @param width in pixels
     * @param height in pixels
     * @param maxTokens lowers the largest area to so many tokens, and where it must the smallest one too; 0 for no such bound. It holds
     *     also for pictures so narrow that transformers' own {@code max_pixels} does not.
     * @throws PrpfException 65 if one side is more than 200 times the other
     */
    static VisionGrid of(VisionPreprocessing to, int width, int height, int maxTokens) {
        double aspect = Math.max(width, height) / (double) Math.min(width, height);
        if (aspect > MAX_ASPECT) {
            throw new InvalidDataException("a picture of " + width + " x " + height + " pixels has an aspect ratio of "
                    + Math.round(aspect) + ", at most " + MAX_ASPECT + " can be seen; crop it or remove the record");
        }
        int factor = to.factor();
        long token = (long) factor * factor;
        long max = maxTokens > 0 ? Math.min(to.maxPixels(), maxTokens * token) : to.maxPixels();
        long min = maxTokens > 0 ? Math.min(to.minPixels(), max) : to.minPixels();
        long tall = (long) Math.rint((double) height / factor); // half to even, as Python rounds
        long wide = (long) Math.rint((double) width / factor);
        double area = (double) height * width;
        boolean tooMany = tall * wide * token > max;
        if (!tooMany && tall * wide * token < min) {
            double grown = Math.sqrt(min / area);
            tall = (long) Math.ceil(height * grown / factor);
            wide = (long) Math.ceil(width * grown / factor);
            tooMany = maxTokens > 0 && tall * wide * token > max;
        }
        if (tooMany) {
            double shrunk = Math.sqrt(area / max);
            tall = (long) Math.max(1, Math.floor(height / shrunk / factor));
            wide = (long) Math.max(1, Math.floor(width / shrunk / factor));
        }
        if (maxTokens > 0) {
            tall = Math.min(tall, maxTokens);
            wide = Math.min(wide, maxTokens / tall);
        }
        return new VisionGrid(Math.toIntExact(tall) * to.merge(), Math.toIntExact(wide) * to.merge(), to.merge());
    }

    /** Merged patches from top to bottom. */
    public int mergedRows() {
        return rows / merge;
    }

    /** Merged patches from left to right. */
    public int mergedColumns() {
        return columns / merge;
    }

    /** Merged patches, which are the picture's tokens in a prompt. */
    public int tokens() {
        return mergedRows() * mergedColumns();
    }
}
