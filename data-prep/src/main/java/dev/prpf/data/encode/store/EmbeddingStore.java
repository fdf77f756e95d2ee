package dev.prpf.data.encode.store;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A store of a frozen encoder's results by content and encoder id, so that nothing is encoded twice. On disk it is one file per
 * encoder, safe against kills, thread-safe and shared by processes. In memory it keeps the most recently used encodings.
 *
 * @param <V> vectors, or the texts of images
 */
public final class EmbeddingStore<V> implements AutoCloseable {
    private final Payloads payloads;
    private final Function<V, byte[]> write;
    private final Function<ByteBuffer, V> read;

    private EmbeddingStore(Payloads payloads, Function<V, byte[]> write, Function<ByteBuffer, V> read) {
        this.payloads = payloads;
        this.write = write;
        this.read = read;
    }

    /** Opens or creates the store of an encoder's vectors on disk. */
    public static EmbeddingStore<float[]> ofVectors(Path directory, String encoderId, int width) {
        return ofVectors(new StorePlace.Folder(directory), encoderId, width);
    }

    /**
     * Opens or creates the store of an encoder's vectors.
     *
     * @param place the location of the store
     * @param encoderId names the encoder and its version
     * @param width floats per vector
     * @throws PrpfException 65 if the file belongs to another encoder; 69 if it cannot be opened
     */
    public static EmbeddingStore<float[]> ofVectors(StorePlace place, String encoderId, int width) {
        VectorCodec codec = new VectorCodec(encoderId, width, false);
        return open(place, encoderId, ".vectors", codec::write, codec::read);
    }

    /** Opens or creates a store of one or more vectors per content, concatenated; on disk at most 16 MiB per content. */
    public static EmbeddingStore<float[]> ofMatrices(StorePlace place, String encoderId, int width) {
        VectorCodec codec = new VectorCodec(encoderId, width, true);
        return open(place, encoderId, ".matrices", codec::write, codec::read);
    }

    /** Opens or creates the store of texts of images on disk. */
    public static EmbeddingStore<String> ofTexts(Path directory, String readerId) {
        return ofTexts(new StorePlace.Folder(directory), readerId);
    }

    /** Opens or creates the store of texts that a reader recognised on images. */
    public static EmbeddingStore<String> ofTexts(StorePlace place, String readerId) {
        return open(
                place,
                readerId,
                ".texts",
                text -> text.getBytes(StandardCharsets.UTF_8),
                payload -> StandardCharsets.UTF_8.decode(payload).toString());
    }

    private static <V> EmbeddingStore<V> open(
            StorePlace place, String id, String suffix, Function<V, byte[]> write, Function<ByteBuffer, V> read) {
        if (place instanceof StorePlace.Memory memory) {
            return new EmbeddingStore<>(new RecentPayloads(memory.bytes()), write, read);
        }
        String name = id.replaceAll("[^A-Za-z0-9._-]", "_") + suffix;
        Path file = ((StorePlace.Folder) place).path().resolve(name);
        return new EmbeddingStore<>(RecordFile.open(file, id), write, read);
    }

    /** Returns whether encodings persist after this store is closed. */
    public boolean lasts() {
        return payloads instanceof RecordFile;
    }

    public int size() {
        return payloads.size();
    }

    public boolean contains(ContentKey key) {
        return payloads.contains(key);
    }

    /**
     * Returns the encoding, or null if the content was not encoded yet.
     *
     * @throws PrpfException 65 if a stored vector is of another width or not finite
     */
    public @Nullable V get(ContentKey key) {
        Supplier<V> encoding = getLazily(key);
        return encoding == null ? null : encoding.get();
    }

    /** Returns {@link #get} as a supplier that reads the store on each call, on disk also after {@link #close}. */
    public @Nullable Supplier<V> getLazily(ContentKey key) {
        Supplier<ByteBuffer> payload = payloads.get(key);
        Function<ByteBuffer, V> decode = read;
        return payload == null ? null : () -> decode.apply(payload.get());
    }

    /**
     * Adds encodings in one write.
     *
     * @throws PrpfException 65 if a vector is of another width or not finite
     */
    public void put(Map<ContentKey, V> encodings) {
        Map<ContentKey, byte[]> written = new HashMap<>();
        encodings.forEach((key, value) -> written.put(key, write.apply(value)));
        payloads.put(written);
    }

    @Override
    public void close() {
        payloads.close();
    }

    /**
     * Converts vectors to big-endian float32.
     *
     * @param several whether a content has one or more vectors instead of exactly one
     */
    private record VectorCodec(String encoderId, int width, boolean several) {
        byte[] write(float[] vector) {
            ByteBuffer payload = ByteBuffer.allocate(vector.length * Float.BYTES);
            payload.asFloatBuffer().put(checked(vector));
            return payload.array();
        }

        float[] read(ByteBuffer payload) {
            float[] vector = new float[payload.remaining() / Float.BYTES];
            payload.asFloatBuffer().get(vector);
            return checked(vector);
        }

        private float[] checked(float[] vector) {
            boolean fits = several ? vector.length > 0 && vector.length % width == 0 : vector.length == width;
            if (!fits) {
                throw new InvalidDataException("a vector of " + vector.length + " floats in the store of " + encoderId
                        + ", width must be " + width + "; remove the store's file, another encoder wrote it");
            }
            int place = Vectors.firstNotFinite(vector);
            if (place >= 0) {
                throw new InvalidDataException("a vector in the store of " + encoderId + " holds " + vector[place]
                        + " at index " + place + ", must be finite numbers; remove the store's file and encode again");
            }
            return vector;
        }
    }

    /** The location of an encoder's store. */
    public sealed interface StorePlace {
        /**
         * Keeps encodings on disk.
         *
         * @param path folder with one file per encoder
         */
        record Folder(Path path) implements StorePlace {}

        /**
         * Keeps encodings in this process only, separated by {@link Tenant}. A full store evicts the least recently used encoding of
         * the largest tenant.
         *
         * @param bytes maximum bytes of one encoder's encodings, at least 1
         */
        record Memory(long bytes) implements StorePlace {
            public Memory {
                Rule.require(bytes >= 1, "bytes", bytes, "at least 1");
            }
        }
    }

    /**
     * The tenant of the current thread. A store in memory returns only a tenant's own encodings, so that response times do not reveal
     * contents of other tenants. Threads without a tenant share one unnamed tenant.
     */
    public static final class Tenant {
        private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "");

        private Tenant() {}

        /** Runs work on behalf of a tenant. */
        public static <T> T as(String tenant, Supplier<T> work) {
            String before = CURRENT.get();
            CURRENT.set(tenant);
            try {
                return work.get();
            } finally {
                CURRENT.set(before);
            }
        }

        static String current() {
            return CURRENT.get();
        }
    }

    /** Arithmetic on encoded vectors. */
    public static final class Vectors {
        private Vectors() {}

        /** Scales a vector to Euclidean length 1; the zero vector stays zero. */
        public static float[] unit(float[] vector) {
            double squares = 0;
            for (float v : vector) {
                squares += (double) v * v;
            }
            double norm = Math.max(Math.sqrt(squares), 1e-12);
            float[] unit = new float[vector.length];
            for (int i = 0; i < unit.length; i++) {
                unit[i] = (float) (vector[i] / norm);
            }
            return unit;
        }

        /** Returns the first index without a finite number, or -1. */
        public static int firstNotFinite(float[] vector) {
            return IntStream.range(0, vector.length)
                    .filter(i -> !Float.isFinite(vector[i]))
                    .findFirst()
                    .orElse(-1);
        }
    }

    /** A thread-safe map from {@link ContentKey} to payloads. */
    interface Payloads extends AutoCloseable {
        int size();

        boolean contains(ContentKey key);

        /** Returns the payload, readable also after {@link #close} or eviction; null if missing. */
        @Nullable
        Supplier<ByteBuffer> get(ContentKey key);

        /** Adds the payloads that are missing. */
        void put(Map<ContentKey, byte[]> payloads);

        @Override
        void close();
    }

    /**
     * Keeps the most recently used payloads of each {@link Tenant} in memory, never on disk. The tenant with most bytes loses its
     * oldest payload first.
     */
    static final class RecentPayloads implements Payloads {
        /** Bytes of an entry without its payload: key, node and array header. */
        private static final int OVERHEAD = 128;

        private final long limit;
        private final Map<String, Recent> tenants = new HashMap<>();
        private long bytes;

        private static final class Recent {
            private final LinkedHashMap<ContentKey, byte[]> payloads = new LinkedHashMap<>(16, 0.75f, true);
            private long bytes;

            long add(ContentKey key, byte[] payload) {
                long more = payloads.putIfAbsent(key, payload) == null ? (long) OVERHEAD + payload.length : 0;
                bytes += more;
                return more;
            }

            long dropOldest() {
                Iterator<byte[]> oldest = payloads.values().iterator();
                long less = (long) OVERHEAD + oldest.next().length;
                oldest.remove();
                bytes -= less;
                return less;
            }
        }

        /** @param limit in bytes; the newest payload of each tenant is always kept */
        RecentPayloads(long limit) {
            this.limit = limit;
        }

        private Map<ContentKey, byte[]> own() {
            return tenants.computeIfAbsent(Tenant.current(), unseen -> new Recent()).payloads;
        }

        @Override
        public synchronized int size() {
            return tenants.values().stream()
                    .mapToInt(recent -> recent.payloads.size())
                    .sum();
        }

        @Override
        public synchronized boolean contains(ContentKey key) {
            return own().containsKey(key);
        }

        @Override
        public synchronized @Nullable Supplier<ByteBuffer> get(ContentKey key) {
            byte[] payload = own().get(key);
            return payload == null ? null : () -> ByteBuffer.wrap(payload).asReadOnlyBuffer();
        }

        @Override
        public synchronized void put(Map<ContentKey, byte[]> payloads) {
            Recent own = tenants.computeIfAbsent(Tenant.current(), unseen -> new Recent());
            payloads.forEach((key, payload) -> bytes += own.add(key, payload));
            while (bytes > limit) {
                Recent largest = Collections.max(tenants.values(), Comparator.comparingLong(recent -> recent.bytes));
                if (largest.payloads.size() <= 1) {
                    return;
                }
                bytes -= largest.dropOldest();
            }
        }

        @Override
        public synchronized void close() {
            tenants.clear();
            bytes = 0;
        }
    }
}
