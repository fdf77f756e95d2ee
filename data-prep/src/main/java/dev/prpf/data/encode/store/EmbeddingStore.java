package dev.prpf.data.encode.store;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.text.TextEncoder;
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
    private final String encoderId;
    private final int width;

    private EmbeddingStore(ContentStore store, String encoderId, int width) {
        this.store = store;
        this.encoderId = encoderId;
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
                ContentStore.open(directory.resolve(fileName(encoderId) + ".vectors"), encoderId), encoderId, width);
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

    /**
     * The vector, shape (width), or null when it was not encoded yet.
     *
     * @throws PrpfException 65 if what is stored is of another width or not finite
     */
    public float @Nullable [] get(ContentKey key) {
        byte[] payload = store.get(key);
        if (payload == null) {
            return null;
        }
        float[] vector = new float[payload.length / Float.BYTES];
        ByteBuffer.wrap(payload).asFloatBuffer().get(vector);
        return checked(vector);
    }

    /**
     * Adds vectors, in one write.
     *
     * @throws PrpfException 65 if one is of another width or not finite
     */
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
            throw new InvalidDataException("a vector of " + vector.length + " floats in the store of " + encoderId
                    + ", whose width is " + width + "; remove the store's file, another encoder wrote it");
        }
        int place = Vectors.firstNotFinite(vector);
        if (place >= 0) {
            throw new InvalidDataException("a vector in the store of " + encoderId + " holds " + vector[place]
                    + " at place " + place + ", must be finite numbers; remove the store's file and encode again");
        }
        return vector;
    }

    @Override
    public void close() {
        store.close();
    }
}
