package dev.prpf.data.encode;

import dev.prpf.data.io.SafeTensors;
import dev.prpf.data.run.AtomicFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Vectors as a safetensors file with one tensor, {@code embeddings} (n, width) float32. */
public final class EmbeddingsFile {
    private EmbeddingsFile() {}

    /**
     * Writes the file, whole or not at all.
     *
     * @param vectors shape (n, width)
     * @param metadata the encoder's id and what else made the vectors
     */
    public static void write(Path file, float[][] vectors, int width, Map<String, String> metadata) {
        float[] flat = new float[Math.multiplyExact(vectors.length, width)];
        for (int i = 0; i < vectors.length; i++) {
            System.arraycopy(vectors[i], 0, flat, i * width, width);
        }
        SafeTensors.Tensor tensor = SafeTensors.Tensor.ofFloats(new long[] {vectors.length, width}, flat);
        Path target = file.toAbsolutePath();
        Path beside = target.resolveSibling("." + target.getFileName() + ".partial");
        try {
            Files.createDirectories(target.resolveSibling("."));
            SafeTensors.write(beside, Map.of("embeddings", tensor), metadata);
            AtomicFiles.sync(beside);
            AtomicFiles.move(beside, target);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
