package dev.prpf.base.parquet;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** An input stream over a range of a file; several can read from one channel in turns. */
final class FileStretch extends InputStream {
    private final FileChannel channel;
    private final long end;
    private long position;

    FileStretch(FileChannel channel, long position, long length) {
        this.channel = channel;
        this.position = position;
        this.end = position + length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int wanted = (int) Math.min(length, end - position);
        if (wanted <= 0) {
            return length == 0 ? 0 : -1;
        }
        int read = channel.read(ByteBuffer.wrap(bytes, offset, wanted), position);
        position += Math.max(read, 0);
        return read;
    }

    /** Reads exactly {@code count} bytes of a stream. */
    static byte[] exactly(InputStream in, int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("it is truncated: " + count + " bytes are needed, " + bytes.length + " are left");
        }
        return bytes;
    }
}
