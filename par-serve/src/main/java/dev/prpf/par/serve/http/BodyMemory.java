package dev.prpf.par.serve.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of the heap the bodies of requests may take together: many long ones at once would use it up. A body counts for as long as its
 * request runs. For any number of threads.
 */
final class BodyMemory {
    /** Heap bytes for each byte of a body: the growing body, and a long text, once in pieces and once whole. */
    private static final int EACH = 8;

    /** Heap bytes for each JSON token, including the entry in the parent node; an empty array in an array is two tokens and takes 104. */
    private static final int EACH_TOKEN = 80;

    private static final int SHARE_OF_HEAP = 4;
    private static final Duration SOON = Duration.ofSeconds(2);

    private final long most;
    private final AtomicLong held = new AtomicLong();

    BodyMemory(long most) {
        this.most = most;
    }

    /** A quarter of what the heap may grow to. */
    static BodyMemory ofHeap() {
        return new BodyMemory(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

    /** What one request holds: nothing yet. */
    Share share() {
        return new Share();
    }

    /** What one request holds; used by its thread, and released when its answer is out. */
    final class Share {
        private final AtomicLong mine = new AtomicLong();

        /**
         * Holds more.
         *
         * @param bytes of the body
         * @throws ApiException 503 if others hold too much; a request that is alone gets what it needs
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

        private void hold(long more) {
            long own = mine.addAndGet(more);
            long all = held.addAndGet(more);
            if (all > most && all > own) {
                throw ApiException.unavailable(SOON, "long bodies of other requests fill the memory; try again later");
            }
        }

        /** Holds nothing any more. */
        void release() {
            held.addAndGet(-mine.getAndSet(0));
        }
    }
}
