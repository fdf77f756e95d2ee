package dev.prpf.data.encode.store;

import dev.prpf.base.files.SafeTensors;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Vectors as a safetensors file: the tensor {@code embeddings} (n, width) float32, and for a network that sees pixels on request
 * {@code pixel_values} (n, 3, side, side).
 */
public final class EmbeddingsFile {
    private EmbeddingsFile() {}

    /**
     * Writes the file, whole or not at all.
     *
     * @param vectors shape (n, width)
     * @param metadata the encoder's id and what else made the vectors
     */
    public static void write(Path file, float[][] vectors, int width, Map<String, String> metadata) {
        write(file, vectors, width, Map.of(), metadata);
    }

    /**
     * Writes the file, whole or not at all.
     *
     * @param vectors shape (n, width)
     * @param further other tensors by name
     * @param metadata the encoder's id and what else made the vectors
     */
    public static void write(
            Path file,
            float[][] vectors,
            int width,
            Map<String, SafeTensors.Tensor> further,
            Map<String, String> metadata) {
        float[] flat = new float[Math.multiplyExact(vectors.length, width)];
        for (int i = 0; i < vectors.length; i++) {
            System.arraycopy(vectors[i], 0, flat, i * width, width);
        }
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        tensors.put("embeddings", SafeTensors.Tensor.ofFloats(new long[] {vectors.length, width}, flat));
        tensors.putAll(further);
        SafeTensors.write(file, tensors, metadata);
    }
}
