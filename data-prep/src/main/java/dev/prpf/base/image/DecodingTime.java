package dev.prpf.base.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * The bytes of an image, whose reading fails once decoding has used 10 s of the thread's CPU time. An image of the accepted sizes takes less than
 * a tenth of that. CPU time is counted, so that a busy machine refuses no image.
 */
final class DecodingTime extends MemoryCacheImageInputStream {
    private static final long MOST = Duration.ofSeconds(10).toNanos();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long most;
    private final long begin = THREADS.getCurrentThreadCpuTime();

    DecodingTime(byte[] content) {
        this(content, MOST);
    }

    DecodingTime(byte[] content, long most) {
        super(new ByteArrayInputStream(content));
        this.most = most;
    }

    private void requireTime() throws IOException {
        if (THREADS.getCurrentThreadCpuTime() - begin > most) {
            throw new IOException(
                    "decoding it takes more than " + Duration.ofNanos(most).toMillis() + " ms");
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        requireTime();
        return super.read(into, offset, length);
    }
}
