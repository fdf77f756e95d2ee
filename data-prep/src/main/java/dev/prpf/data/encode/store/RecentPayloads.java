package dev.prpf.data.encode.store;

import dev.prpf.data.encode.store.EmbeddingStore.Payloads;
import dev.prpf.data.encode.store.EmbeddingStore.Tenant;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the most recently used payloads of each {@link Tenant} in memory, never on disk. The tenant with most bytes loses its
 * oldest payload first.
 */
final class RecentPayloads implements Payloads {
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
