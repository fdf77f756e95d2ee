package dev.prpf.par.serve.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the heap of the bodies and answers of all requests together. API keys share the limit by a {@link KeyShare}. Both count until the answer is
 * sent. Thread-safe.
 */
final class BodyMemory {
    /** Heap bytes for each byte of a body: the growing body, and a long text, once in pieces and once whole. */
    static final long EACH = 8;

    /** Heap bytes for each JSON token, also of embedded texts, with the entry in the parent node. An empty array in an array is two tokens and takes 104 bytes. */
    static final long EACH_TOKEN = 80;

    private static final int SHARE_OF_HEAP = 4;
    private static final Duration SOON = Duration.ofSeconds(2);

    private final KeyQuota quota;

    BodyMemory(KeyShare share) {
        quota = new KeyQuota(share);
    }

    /** Limits bodies and answers to a quarter of the maximum heap. */
    static BodyMemory ofHeap(boolean reserving) {
        return new BodyMemory(new KeyShare(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP, reserving));
    }

    /** Returns a new, empty account for one request of an API key. */
    Share share(String key) {
        return new Share(key);
    }

    /** The bytes of one request, used by its thread and released after its answer. */
    final class Share {
        private final AtomicLong mine = new AtomicLong();
        private final String key;

        private Share(String key) {
            this.key = key;
        }

        /**
         * Reserves heap bytes for the request or its answer.
         *
         * @throws ApiException 503 if other requests hold too much; the server's only request always succeeds, a key's only request may take all
         *     free bytes
         */
        void hold(long more) {
            if (!quota.acquire(key, more, mine.get())) {
                throw ApiException.unavailable(
                        SOON, "long bodies and answers fill the memory, or the share of one key; try again later");
            }
            mine.addAndGet(more);
        }

        void release() {
            quota.release(key, mine.getAndSet(0));
        }
    }
}
