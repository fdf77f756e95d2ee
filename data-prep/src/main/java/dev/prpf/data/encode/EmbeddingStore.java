package dev.prpf.data.encode;

import dev.prpf.data.run.PrpfException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodings on disk, found by content and encoder id: nothing is encoded twice. One file an encoder; safe to kill at any time, to
 * use from several threads, and to share between processes.
 */
public final class EmbeddingStore implements AutoCloseable {
    private final ContentStore store;
    private final int width;

    private EmbeddingStore(ContentStore store, int width) {
        this.store = store;
        this.width = width;
    }

    /**
     * Opens or makes the store of one encoder.
     *
     * @param directory holds one file an encoder
     * @param encoderId see {@link TextEncoder#id()}
     * @param width floats a vector
     */
    public static EmbeddingStore open(Path directory, String encoderId, int width) {
        return new EmbeddingStore(
                ContentStore.open(directory.resolve(fileName(encoderId) + ".vectors"), encoderId), width);
    }

    static String fileName(String encoderId) {
        return encoderId.replaceAll("[^A-Za-z0-9._-]", "_");
    }

    /** How many vectors it holds. */
    public int size() {
        return store.size();
    }

    public boolean contains(ContentKey key) {
        return store.contains(key);
    }

    /** The vector, shape (width), or null when it was not encoded yet. */
    public float @Nullable [] get(ContentKey key) {
        byte[] payload = store.get(key);
        if (payload == null) {
            return null;
        }
        float[] vector = new float[payload.length / Float.BYTES];
        ByteBuffer.wrap(payload).asFloatBuffer().get(vector);
        return checked(vector);
    }

    /** Adds vectors, in one write. */
    public void put(Map<ContentKey, float[]> vectors) {
        Map<ContentKey, byte[]> payloads = new HashMap<>();
        vectors.forEach((key, vector) -> {
            ByteBuffer payload = ByteBuffer.allocate(width * Float.BYTES);
            payload.asFloatBuffer().put(checked(vector));
            payloads.put(key, payload.array());
        });
        store.put(payloads);
    }

    private float[] checked(float[] vector) {
        if (vector.length != width) {
            throw PrpfException.badData("a vector of " + vector.length + " floats in a store of width " + width
                    + "; remove the store's file, it belongs to another encoder");
        }
        return vector;
    }

    @Override
    public void close() {
        store.close();
    }
}
