package dev.prpf.data.encode.store;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Vectors on their way into a safetensors file: the tensor {@code embeddings} (n, width) float32, and for a network that sees pixels on
 * request {@code pixel_values} (n, 3, side, side).
 */
public final class EmbeddingsFile {
    private final int width;
    private final ByteBuffer rows;

    /**
     * Makes room for the vectors, before any of them is encoded.
     *
     * @param what is encoded, for messages
     * @throws dev.prpf.base.error.PrpfException 65 if one tensor cannot hold them
     */
    public EmbeddingsFile(String what, int count, int width) {
        long bytes = (long) count * width * Float.BYTES;
        if (bytes > Integer.MAX_VALUE) {
            throw new InvalidDataException(what + ": holds " + count + " elements of " + width
                    + " floats each, must be at most " + Integer.MAX_VALUE / (width * Float.BYTES)
                    + " (a tensor is smaller than 2 GiB); split it into several files");
        }
        this.width = width;
        this.rows = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public int width() {
        return width;
    }

    /** Vectors so far. */
    public int size() {
        return rows.position() / (width * Float.BYTES);
    }

    /** Adds vectors, shape (any, width). */
    public void add(float[][] vectors) {
        for (float[] vector : vectors) {
            rows.asFloatBuffer().put(vector);
            rows.position(rows.position() + width * Float.BYTES);
        }
    }

    /**
     * Writes the file, whole or not at all.
     *
     * @param further other tensors by name
     * @param encoderId for the file's metadata
     */
    public void write(Path file, Map<String, SafeTensors.Tensor> further, String encoderId) {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        long[] shape = {size(), width};
        tensors.put(
                "embeddings",
                new SafeTensors.Tensor("F32", shape, rows.duplicate().flip()));
        tensors.putAll(further);
        SafeTensors.write(file, tensors, Map.of("encoder", encoderId));
    }
}
