package dev.prpf.data.encode.store;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a frozen encoder made of contents, on disk, found by content and encoder id: nothing is encoded twice. One file an encoder; safe
 * to kill at any time, to use from several threads, and to share between processes.
 *
 * @param <V> vectors, or the texts that were read on images
 */
public final class EmbeddingStore<V> implements AutoCloseable {
    private final RecordFile file;
    private final Function<V, byte[]> write;
    private final Function<ByteBuffer, V> read;

    private EmbeddingStore(RecordFile file, Function<V, byte[]> write, Function<ByteBuffer, V> read) {
        this.file = file;
        this.write = write;
        this.read = read;
    }

    /**
     * Opens or makes the store of an encoder's vectors.
     *
     * @param directory holds one file an encoder
     * @param encoderId names the encoder and its version
     * @param width floats a vector
     * @throws PrpfException 65 if the file belongs to another encoder; 69 if it cannot be opened
     */
    public static EmbeddingStore<float[]> ofVectors(Path directory, String encoderId, int width) {
        VectorCodec codec = new VectorCodec(encoderId, width);
        return open(directory, encoderId, ".vectors", codec::write, codec::read);
    }

    /** As {@link #ofVectors}, of the texts that a reader found on images. */
    public static EmbeddingStore<String> ofTexts(Path directory, String readerId) {
        return open(
                directory,
                readerId,
                ".texts",
                text -> text.getBytes(StandardCharsets.UTF_8),
                payload -> StandardCharsets.UTF_8.decode(payload).toString());
    }

    private static <V> EmbeddingStore<V> open(
            Path directory, String id, String suffix, Function<V, byte[]> write, Function<ByteBuffer, V> read) {
        String name = id.replaceAll("[^A-Za-z0-9._-]", "_") + suffix;
        return new EmbeddingStore<>(RecordFile.open(directory.resolve(name), id), write, read);
    }

    /** How many encodings it holds. */
    public int size() {
        return file.size();
    }

    public boolean contains(ContentKey key) {
        return file.contains(key);
    }

    /**
     * The encoding, or null when the content was not encoded yet.
     *
     * @throws PrpfException 65 if a stored vector is of another width or not finite
     */
    public @Nullable V get(ContentKey key) {
        Supplier<V> encoding = getLazily(key);
        return encoding == null ? null : encoding.get();
    }

    /** As {@link #get}, but read from the mapped file each time it is asked for, also after {@link #close}. */
    public @Nullable Supplier<V> getLazily(ContentKey key) {
        Supplier<ByteBuffer> payload = file.get(key);
        Function<ByteBuffer, V> decode = read;
        return payload == null ? null : () -> decode.apply(payload.get());
    }

    /**
     * Adds encodings, in one write.
     *
     * @throws PrpfException 65 if a vector is of another width or not finite
     */
    public void put(Map<ContentKey, V> encodings) {
        Map<ContentKey, byte[]> payloads = new HashMap<>();
        encodings.forEach((key, value) -> payloads.put(key, write.apply(value)));
        file.put(payloads);
    }

    @Override
    public void close() {
        file.close();
    }

    /** Vectors as big-endian float32. */
    private record VectorCodec(String encoderId, int width) {
        byte[] write(float[] vector) {
            ByteBuffer payload = ByteBuffer.allocate(width * Float.BYTES);
            payload.asFloatBuffer().put(checked(vector));
            return payload.array();
        }

        float[] read(ByteBuffer payload) {
            float[] vector = new float[payload.remaining() / Float.BYTES];
            payload.asFloatBuffer().get(vector);
            return checked(vector);
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
    }
}
