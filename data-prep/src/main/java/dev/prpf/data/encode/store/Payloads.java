package dev.prpf.data.encode.store;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
