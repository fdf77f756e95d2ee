package dev.prpf.data.encode.store;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Payloads in memory, the most recently used ones; nothing of them reaches a disk. */
final class RecentPayloads implements Payloads {
    /** Bytes of an entry beside its payload: key, node and array header. */
    private static final int OVERHEAD = 128;

    private final long limit;
    private final LinkedHashMap<ContentKey, byte[]> recent = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** @param limit in bytes; the newest payload is kept whatever its length */
    RecentPayloads(long limit) {
        this.limit = limit;
    }

    @Override
    public synchronized int size() {
        return recent.size();
    }

    @Override
    public synchronized boolean contains(ContentKey key) {
        return recent.containsKey(key);
    }

    @Override
    public synchronized @Nullable Supplier<ByteBuffer> get(ContentKey key) {
        byte[] payload = recent.get(key);
        return payload == null ? null : () -> ByteBuffer.wrap(payload).asReadOnlyBuffer();
    }

    @Override
    public synchronized void put(Map<ContentKey, byte[]> payloads) {
        payloads.forEach((key, payload) -> {
            if (recent.putIfAbsent(key, payload) == null) {
                bytes += OVERHEAD + payload.length;
            }
        });
        Iterator<byte[]> oldest = recent.values().iterator();
        while (bytes > limit && recent.size() > 1) {
            bytes -= OVERHEAD + oldest.next().length;
            oldest.remove();
        }
    }

    @Override
    public synchronized void close() {
        recent.clear();
        bytes = 0;
    }
}
