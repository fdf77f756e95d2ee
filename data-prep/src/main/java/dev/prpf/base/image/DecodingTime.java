package dev.prpf.base.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * An image stream that fails once decoding has used 10 s of the thread's CPU time. An image of an accepted size takes less than a
 * tenth of that. CPU time is measured, so that a busy machine rejects no image.
 */
final class DecodingTime extends MemoryCacheImageInputStream {
    private static final long LIMIT = Duration.ofSeconds(10).toNanos();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long limit;
    private final long begin = THREADS.getCurrentThreadCpuTime();

    DecodingTime(byte[] content) {
        this(content, LIMIT);
    }

    DecodingTime(byte[] content, long limit) {
        super(new ByteArrayInputStream(content));
        this.limit = limit;
    }

    private void requireTime() throws IOException {
        if (THREADS.getCurrentThreadCpuTime() - begin > limit) {
            throw new IOException(
                    "decoding it takes more than " + Duration.ofNanos(limit).toMillis() + " ms");
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        requireTime();
        return super.read(into, offset, length);
    }
}
