package dev.prpf.data.encode.image;

import static dev.prpf.base.config.Rule.require;

/**
 * The input of a Qwen-VL vision encoder: an image's patches, repeated for each of the T frames that the patch embedding spans.
 *
 * @param values shape (rows * columns, 3 * T * P * P), row-major; must not be changed. Patches are ordered by merged block,
 *     blocks and their patches row by row; a patch's values by channel (red, green, blue), frame, row, column
 * @param rows patches from top to bottom, before merging
 * @param columns patches from left to right, before merging
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

    /** Returns n, the number of patches. */
    public int patches() {
        return rows * columns;
    }

    /** Returns the number of values per patch. */
    public int width() {
        return values.length / patches();
    }
}
