package dev.prpf.data.encode.image;

import static dev.prpf.base.config.Rule.require;

/**
 * A picture as a vision tower of the Qwen-VL family takes it: patches with their channels, each seen twice, since the tower's patch
 * embedding spans two frames of a film.
 *
 * @param values shape (rows * columns, 3 * T * P * P), row-major: patches block by block of those that are merged (blocks row by row, a
 *     block's patches row by row); a patch's values are ordered by channel (red, green, blue), frame, row, column; not to be changed
 * @param rows patches from top to bottom, before they are merged
 * @param columns patches from left to right, before they are merged
 */
public record VisionPatches(float[] values, int rows, int columns) {
    public VisionPatches {
        require(rows > 0, "rows", rows, "positive");
        require(columns > 0, "columns", columns, "positive");
        if (values.length == 0 || values.length % Math.multiplyExact(rows, columns) != 0) {
            throw new IllegalArgumentException(
                    rows + " x " + columns + " patches cannot have " + values.length + " values");
        }
    }

    /** n, patches. */
    public int patches() {
        return rows * columns;
    }

    /** Values of a patch. */
    public int width() {
        return values.length / patches();
    }
}
