package dev.prpf.data.encode.store;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Payloads found by {@link ContentKey}. For several threads. */
interface Payloads extends AutoCloseable {
    int size();

    boolean contains(ContentKey key);

    /** The payload, readable after {@link #close} and whatever becomes of it here; null where there is none. */
    @Nullable
    Supplier<ByteBuffer> get(ContentKey key);

    /** Adds what is not there yet. */
    void put(Map<ContentKey, byte[]> payloads);

    @Override
    void close();
}
