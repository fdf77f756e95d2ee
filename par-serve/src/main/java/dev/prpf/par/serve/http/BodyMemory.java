package dev.prpf.par.serve.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the heap that the bodies and answers of all requests take together, which many long ones would use up. API keys share the limit by a
 * {@link KeyShare}. Bodies and answers count until the answer was sent. Thread-safe.
 */
final class BodyMemory {
    /** Heap bytes for each byte of a body: the growing body, and a long text, once in pieces and once whole. */
    private static final int EACH = 8;

    /** Heap bytes for each JSON token, including the entry in the parent node; an empty array in an array is two tokens and takes 104. */
    private static final int EACH_TOKEN = 80;

    private static final int SHARE_OF_HEAP = 4;
    private static final Duration SOON = Duration.ofSeconds(2);

    private final KeyQuota quota;

    BodyMemory(KeyShare share) {
        quota = new KeyQuota(share);
    }

    /** A quarter of what the heap may grow to. */
    static BodyMemory ofHeap(boolean reserving) {
        return new BodyMemory(new KeyShare(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP, reserving));
    }

    /** Makes the account of one request of an API key, which holds no bytes yet. */
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
         * Holds more.
         *
         * @param bytes of the body
         * @throws ApiException 503 if other requests hold too much; the server's only request gets any number of bytes, a key's only request all free
         *     bytes
         */
        void take(int bytes) {
            hold((long) bytes * EACH);
        }

        /**
         * Reserves memory for the nodes of more JSON tokens, including those of embedded texts.
         *
         * @throws ApiException as {@link #take}
         */
        void takeTokens(int tokens) {
            hold((long) tokens * EACH_TOKEN);
        }

        /**
         * Reserves heap bytes, such as those of an answer.
         *
         * @throws ApiException as {@link #take}
         */
        void hold(long more) {
            if (!quota.acquire(key, more, mine.get())) {
                throw ApiException.unavailable(
                        SOON, "long bodies and answers of other requests fill the memory; try again later");
            }
            mine.addAndGet(more);
        }

        /** Holds nothing any more. */
        void release() {
            quota.release(key, mine.getAndSet(0));
        }
    }
}
