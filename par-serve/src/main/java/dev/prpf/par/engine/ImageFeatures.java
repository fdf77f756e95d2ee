package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

/**
 * The features of an image, in place of its placeholders' embeddings: the output of the vision encoder's merger.
 *
 * @param key of the image's patches (SHA-256, lower-case hexadecimal): equal keys have equal features under one vision encoder
 * @param values (tokens, D) float32, row-major; not to be changed
 */
public record ImageFeatures(String key, ImageGrid grid, float[] values) {
    public ImageFeatures {
        if (values.length == 0 || values.length % grid.tokens() != 0) {
            throw new IllegalArgumentException(
                    "an image of " + grid.tokens() + " tokens cannot have " + values.length + " values");
        }
    }

    /** Returns the width D. */
    public int width() {
        return values.length / grid.tokens();
    }

    /**
     * The grid of an image's merged patches; each patch is a token of the prompt, row by row.
     *
     * @param rows merged patches from top to bottom
     * @param columns merged patches from left to right
     */
    public record ImageGrid(int rows, int columns) {
        public ImageGrid {
            require(rows > 0, "rows", rows, "positive");
            require(columns > 0, "columns", columns, "positive");
        }

        /** Returns the number of the image's placeholders in a prompt. */
        public int tokens() {
            return Math.multiplyExact(rows, columns);
        }
    }
}
