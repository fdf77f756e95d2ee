package dev.prpf.base.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * An image stream that fails once decoding has used 10 s of the thread's CPU time, or its client has disconnected. An image of an accepted
 * size takes less than a tenth of that. CPU time is measured, so that a busy machine rejects no image.
 */
final class DecodingTime extends MemoryCacheImageInputStream {
    private static final long LIMIT = Duration.ofSeconds(10).toNanos();
    private static final long LOOK = Duration.ofMillis(50).toNanos();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long limit;
    private final Runnable waiting;
    private final long begin = THREADS.getCurrentThreadCpuTime();
    private long looked = -LOOK;

    /** @param waiting runs now and then; throws if the client disconnected */
    DecodingTime(byte[] content, Runnable waiting) {
        this(content, waiting, LIMIT);
    }

    DecodingTime(byte[] content, Runnable waiting, long limit) {
        super(new ByteArrayInputStream(content));
        this.waiting = waiting;
        this.limit = limit;
    }

    private void requireTime() throws IOException {
        long used = THREADS.getCurrentThreadCpuTime() - begin;
        if (used > limit) {
            throw new IOException(
                    "decoding it takes more than " + Duration.ofNanos(limit).toMillis() + " ms");
        }
        if (used - looked < LOOK) {
            return;
        }
        looked = used;
        try {
            waiting.run();
        } catch (RuntimeException e) { // the JDK's decoders expect an IOException
            throw new IOException(e);
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        requireTime();
        return super.read(into, offset, length);
    }
}
