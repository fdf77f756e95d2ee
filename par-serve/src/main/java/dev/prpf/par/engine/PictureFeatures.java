package dev.prpf.par.engine;

/**
 * What the decoder sees of a picture in the place of its placeholders' embeddings: the output of the vision tower's merger.
 *
 * @param key names the picture's patches: equal keys have equal features under one tower (SHA-256, lower-case hexadecimal)
 * @param values (tokens, D) float32, row-major; not to be changed
 */
public record PictureFeatures(String key, PictureGrid grid, float[] values) {
    public PictureFeatures {
        if (values.length == 0 || values.length % grid.tokens() != 0) {
            throw new IllegalArgumentException(
                    "a picture of " + grid.tokens() + " tokens cannot have " + values.length + " values");
        }
    }

    /** D. */
    public int width() {
        return values.length / grid.tokens();
    }
}
