package dev.prpf.data.command;

import dev.prpf.base.files.SafeTensors;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Collects vectors for a safetensors file: the tensor {@code embeddings} (n, width) float32, and further tensors such as
 * {@code pixel_values} (n, 3, side, side).
 */
final class EmbeddingsFile {
    private final int width;
    private final float[][] rows;
    private int size;

    /** Allocates memory for the vectors. */
    public EmbeddingsFile(int count, int width) {
        this.width = width;
        this.rows = new float[count][width];
    }

    public int width() {
        return width;
    }

    /** Returns the number of vectors so far. */
    public int size() {
        return size;
    }

    /** Adds vectors, shape (any, width). */
    public void add(float[][] vectors) {
        for (float[] vector : vectors) {
            System.arraycopy(vector, 0, rows[size++], 0, width);
        }
    }

    /**
     * Writes the file atomically.
     *
     * @param further other tensors by name
     * @param encoderId for the file's metadata
     */
    public void write(Path file, Map<String, SafeTensors.Tensor> further, String encoderId) {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        tensors.put("embeddings", SafeTensors.Tensor.ofFloats(new long[] {size, width}, Arrays.copyOf(rows, size)));
        tensors.putAll(further);
        SafeTensors.write(file, tensors, Map.of("encoder", encoderId));
    }
}
