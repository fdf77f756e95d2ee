package dev.prpf.spark;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;

/** Local files as {@code flaky:///…}; reading one of them fails once in the middle, as if the reading machine died. */
public final class FlakyFileSystem extends RawLocalFileSystem {
    private static final AtomicInteger LEFT = new AtomicInteger();
    private static final AtomicInteger FAILED = new AtomicInteger();
    private static volatile String name = "";
    private static volatile long after;

    /** Makes the next reader of a file of this name fail after some bytes. */
    static void failOnce(String file, long bytes) {
        name = file;
        after = bytes;
        FAILED.set(0);
        LEFT.set(1);
    }

    static int failures() {
        return FAILED.get();
    }

    @Override
    public URI getUri() {
        return URI.create("flaky:///");
    }

    @Override
    public void initialize(URI uri, Configuration configuration) throws IOException {
        super.initialize(getUri(), configuration);
    }

    @Override
    public FileStatus getFileStatus(Path file) throws IOException {
        FileStatus status = super.getFileStatus(file); // only file: URIs have permissions
        return new FileStatus(
                status.getLen(),
                status.isDirectory(),
                1,
                status.getBlockSize(),
                status.getModificationTime(),
                status.getPath());
    }

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
        FSDataInputStream stream = super.open(file, bufferSize);
        return file.getName().equals(name) ? new FSDataInputStream(new Failing(stream)) : stream;
    }

    private static final class Failing extends InputStream implements Seekable, PositionedReadable {
        private final FSDataInputStream stream;

        Failing(FSDataInputStream stream) {
            this.stream = stream;
        }

        private void failIfDue() throws IOException {
            if (stream.getPos() > after && LEFT.getAndDecrement() > 0) {
                FAILED.incrementAndGet();
                throw new IOException("the machine died");
            }
        }

        @Override
        public int read() throws IOException {
            failIfDue();
            return stream.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            failIfDue();
            return stream.read(bytes, offset, Math.min(length, 512));
        }

        @Override
        public void seek(long position) throws IOException {
            stream.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Override
        public boolean seekToNewSource(long position) throws IOException {
            return stream.seekToNewSource(position);
        }

        @Override
        public int read(long position, byte[] buffer, int offset, int length) throws IOException {
            return stream.read(position, buffer, offset, length);
        }

        @Override
        public void readFully(long position, byte[] buffer, int offset, int length) throws IOException {
            stream.readFully(position, buffer, offset, length);
        }

        @Override
        public void readFully(long position, byte[] buffer) throws IOException {
            stream.readFully(position, buffer);
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
