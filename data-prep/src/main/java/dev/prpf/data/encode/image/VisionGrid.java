package dev.prpf.data.encode.image;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.spec.VisionPreprocessing;

/**
 * The grid of an image's patches.
 *
 * @param rows patches from top to bottom, before merging
 * @param columns patches from left to right, before merging
 * @param merge side of the square of patches that form one token
 */
public record VisionGrid(int rows, int columns, int merge) {
    public VisionGrid {
        require(merge > 0, "merge", merge, "positive");
        require(rows > 0 && rows % merge == 0, "rows", rows, "a positive multiple of " + merge);
        require(columns > 0 && columns % merge == 0, "columns", columns, "a positive multiple of " + merge);
    }

    /** Maximum ratio of the longer to the shorter side. */
    private static final int MAX_ASPECT = 200;

    /**
     * Returns the grid of an image after resizing (transformers 5.23, {@code smart_resize}): the nearest multiples of a token's
     * side. Beyond the area limits it is the largest (or smallest) grid within them that keeps the aspect ratio.
     *
     * @param width in pixels
     * @param height in pixels
     * @param maxTokens lowers the maximum area to a number of tokens, and the minimum if necessary; 0 for no limit. Unlike
     *     transformers' {@code max_pixels}, it also holds for very narrow images.
     * @throws PrpfException 65 if one side is more than 200 times the other
     */
    static VisionGrid of(VisionPreprocessing to, int width, int height, int maxTokens) {
        double aspect = Math.max(width, height) / (double) Math.min(width, height);
        if (aspect > MAX_ASPECT) {
            throw new InvalidDataException("an image of " + width + " x " + height + " pixels has an aspect ratio of "
                    + Math.round(aspect) + ", at most " + MAX_ASPECT + " can be encoded; crop it or remove the record");
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

    /** Returns the merged patches from top to bottom. */
    public int mergedRows() {
        return rows / merge;
    }

    /** Returns the merged patches from left to right. */
    public int mergedColumns() {
        return columns / merge;
    }

    /** Returns the merged patches, which are the image's tokens in a prompt. */
    public int tokens() {
        return mergedRows() * mergedColumns();
    }
}
