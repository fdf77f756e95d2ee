package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

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
